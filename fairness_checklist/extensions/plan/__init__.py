"""The verb ``plan``: how many templates, terms or examples show a gap (Ethayarajh 2020)."""
