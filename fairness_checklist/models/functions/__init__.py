"""Python functions, and objects of other libraries, as classifiers and taggers."""
