"""Nothing here is a test: see run.py."""

collect_ignore_glob = ["*.py"]
