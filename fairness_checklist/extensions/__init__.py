"""Extensions: see `fairness_checklist.core.extensions`. Each folder names its public names and its verbs."""
