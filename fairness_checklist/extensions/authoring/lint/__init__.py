"""The linter: what is wrong with templates and terms, found by reading them and by filling all of them."""
