"""What may be claimed: the rule, words beside control words, and their records."""
