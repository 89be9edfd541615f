"""Models: transformers classifiers and taggers, the bundled ones, and Python functions.

Only this package imports torch and transformers, and only when a model is loaded.
"""
