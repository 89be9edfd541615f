"""What every room stands on: errors, arrays, tasks, example sets, predictions and outcomes."""
