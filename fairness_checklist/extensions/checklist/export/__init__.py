"""What CheckList's tests of our suites are made of: expectations, templates, texts with tags."""
