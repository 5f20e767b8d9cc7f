"""Opens tokenizers that were made elsewhere."""
