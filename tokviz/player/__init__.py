"""The browser side: a recorded run, packed once, played and scrubbed without the server."""
