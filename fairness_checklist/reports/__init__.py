"""The results of a run in words, as tables for the terminal, as a picture and as a page."""
