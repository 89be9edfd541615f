"""CheckList both ways: its calls, its saved suites (Ribeiro et al. 2020), and the verb ``import``.

Its calls are imported from ``fairness_checklist.checklist``.
"""
