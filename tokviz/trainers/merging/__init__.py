"""What the trainers that merge pairs share: the pair index, its ranking, the loop, the record."""
