"""What a run of SuperBPE leaves behind: merges within words, and then across their borders."""
