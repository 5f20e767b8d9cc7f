"""What a training leaves behind, and the questions it answers."""
