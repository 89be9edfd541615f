"""Predictions on disk: the store that a run is continued from, and the chunks that several machines share."""
