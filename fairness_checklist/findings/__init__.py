"""What may be claimed: harms, the family of groups and harms, the placebo as a null, words, and records of all of it."""
