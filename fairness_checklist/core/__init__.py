"""What every other package builds on: errors, arrays, tasks, example sets, predictions and outcomes."""
