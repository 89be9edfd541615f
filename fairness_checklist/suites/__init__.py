"""Suites: the templates and terms that are chosen, and the example sets that they make; saved as text."""
