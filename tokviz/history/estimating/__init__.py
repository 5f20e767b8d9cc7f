"""EM trainings whose history knows more than SentencePiece does."""
