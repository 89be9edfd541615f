"""Intrinsic measures of Orgad and Belinkov 2022 as plain functions over arrays of vectors.

They describe vectors inside a model and no prediction, so they are kept apart from all other metrics.
"""
