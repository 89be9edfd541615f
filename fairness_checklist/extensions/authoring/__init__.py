"""Writing and checking content, with the verbs ``lint``, ``new`` and ``review``."""
