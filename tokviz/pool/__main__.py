"""`python -m tokviz.pool MEGABYTES`: a worker; see `tokviz.pool.worker`."""

from tokviz.pool.worker import main

if __name__ == "__main__":
    main()
