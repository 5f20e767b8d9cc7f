"""What a visitor has open: lanes, links, and files."""
