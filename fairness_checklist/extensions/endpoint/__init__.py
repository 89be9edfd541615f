"""Models behind an HTTP endpoint: any that answers JSON, and language models as classifiers."""
