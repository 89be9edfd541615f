"""Predictions on disk: the store that a run is continued from."""
