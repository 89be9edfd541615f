"""Classifiers and taggers of transformers: from the hub or a folder to probabilities."""
