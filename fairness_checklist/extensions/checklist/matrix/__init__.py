"""The visual summary of behavioral tests: a page, a fragment for notebooks, a widget."""
