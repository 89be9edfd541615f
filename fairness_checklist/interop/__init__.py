"""Interfaces to other tools: suites that CheckList can run."""
