"""Counting the words of many files, by many processes or machines, exactly as one would.

    files ──plan──▶ parts, in tasks ──an engine──▶ a table of each task ──merge──▶ one table

A task is pure: whoever does it, and however often, its table is the same. Only whoever starts a
command or writes a script meets this; what it says is English.
"""

from tokviz.counting.count import DEFAULT_PART, ENGINES, count_files
from tokviz.counting.errors import CountingError
from tokviz.counting.table_file import read_table, write_table

__all__ = [
    "DEFAULT_PART",
    "ENGINES",
    "CountingError",
    "count_files",
    "read_table",
    "write_table",
]
