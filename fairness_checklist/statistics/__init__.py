"""Chance and uncertainty: what a number would be by chance, and how far it may be off."""
