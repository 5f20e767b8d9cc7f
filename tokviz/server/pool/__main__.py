"""`python -m tokviz.server.pool MEGABYTES`: a worker; see `tokviz.server.pool.worker`."""

from tokviz.server.pool.worker import main

if __name__ == "__main__":
    main()
