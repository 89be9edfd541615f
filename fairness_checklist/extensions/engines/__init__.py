"""Speed: chunks of texts scored by worker processes or by Ray."""
