"""What may be claimed: the family of groups and harms, the placebo as a null, words, and their records."""
