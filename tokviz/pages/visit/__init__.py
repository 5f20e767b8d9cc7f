"""What a visitor has open: runs, lanes, links."""
