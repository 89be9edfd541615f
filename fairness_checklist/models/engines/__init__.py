"""Where forward passes happen."""
