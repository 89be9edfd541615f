"""Behavioral tests with CheckList's calls: tests, expectations, suites of them, and the groups in their cases."""
