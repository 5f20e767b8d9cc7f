"""Tokenizers that visitors open: their files, by upload or by name, and what is found in them."""
