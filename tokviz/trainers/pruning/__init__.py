"""What the trainers that prune a seed vocabulary share: models, lattices, exact sums."""
