"""Writes trained tokenizers as files that other programs load."""
