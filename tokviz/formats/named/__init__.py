"""Finds tokenizers by the names that people call them: on a hub of models, or among tiktoken's."""
