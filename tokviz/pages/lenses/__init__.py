"""The lenses beside the player: views of a word, a token, or the encoding of a text."""
