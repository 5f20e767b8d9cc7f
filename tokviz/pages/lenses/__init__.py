"""What pages show beside the player: the word, the token, the encoding of a text."""
