"""From a vocabulary to tokens: tokenizers, encoders, lattices, and how each came to its tokens."""
