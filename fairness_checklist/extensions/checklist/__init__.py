"""CheckList both ways: its calls (`fairness_checklist.checklist`), its saved suites, and the verb ``import``."""
