"""`Editor`: templates filled with lists and lexicons, with CheckList's calls."""
