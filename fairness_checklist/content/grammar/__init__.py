"""The words around a term that agree with it: one `Grammar` per language, and its word lists."""
