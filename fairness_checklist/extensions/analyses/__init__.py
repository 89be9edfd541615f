"""What is asked for after a run, by a method of `Result`: by column, interactions, failures, paired tests, plots."""
