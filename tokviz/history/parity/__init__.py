"""Histories of runs in which languages take turns."""
