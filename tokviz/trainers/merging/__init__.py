"""What the trainers that merge pairs share: what a run is asked, the loop, the record."""
