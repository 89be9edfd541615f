"""Prediction tables and the run folder: columns, files, one row an example or a sentence."""
