"""Templates and identity terms: how they are written, read, filled and linted."""
