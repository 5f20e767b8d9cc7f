"""The player: a history is packed once, and the browser plays it without the server."""
