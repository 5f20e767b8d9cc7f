"""Merges of which each is for the language that pays most."""
