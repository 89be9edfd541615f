"""Files that CheckList saved, read without running anything of them."""
