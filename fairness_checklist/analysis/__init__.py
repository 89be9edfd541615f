"""Analyses of a finished run: stability, terms left out, capitals, interactions, mechanisms, the placebo."""
