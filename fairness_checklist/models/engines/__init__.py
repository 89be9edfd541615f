"""How a transformers model is run: here, in worker processes, in shards of one job, or by Ray."""
