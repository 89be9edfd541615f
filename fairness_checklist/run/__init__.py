"""Example sets, what a model predicted for them, metrics and checks, as `Results`."""
