"""The verbs ``compare`` and ``gate``: is a new model worse than an old one, and may it go out."""
