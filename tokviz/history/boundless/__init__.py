"""What a run of BoundlessBPE leaves behind: merges within words and across them."""
