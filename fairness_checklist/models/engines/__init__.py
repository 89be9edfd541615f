"""How a transformers model is run in this process."""
