"""The verb ``balance``: weights for data whose groups differ in a property (Kocijan et al. 2021)."""
