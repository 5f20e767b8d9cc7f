"""BoundlessBPE: merges within words and across them, in one loop."""
