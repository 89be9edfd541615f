"""Masked language models: words for a mask, and likelihoods of whole sentences."""
