"""Sharing: links, files and figures of what a page shows."""
