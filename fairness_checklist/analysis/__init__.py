"""What is computed from a finished run: stability, terms left out, capitals, interactions, mechanisms, the placebo."""
