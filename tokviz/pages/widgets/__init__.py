"""Elements that several pages share."""
