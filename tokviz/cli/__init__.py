"""The commands of the command line, one module each. The parser is in `tokviz.__main__`."""
