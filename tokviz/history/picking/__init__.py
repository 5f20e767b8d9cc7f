"""The history of PickyBPE: merges, and tokens that are taken back."""
