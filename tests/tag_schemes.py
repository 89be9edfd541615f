"""Tags of sentences in any scheme, which the package reads and does not write."""

from collections.abc import Iterable

CLOSING = {"BILOU": "LU", "BIOES": "ES", "BMES": "ES", "BMEWO": "EW"}


def encode(spans: Iterable[tuple[int, int, str]], n_words: int, scheme: str) -> list[str]:
    """The tags of one sentence with spans (start, end, type) in words."""
    tags = ["O"] * n_words
    for start, end, kind in sorted(spans):
        letters = ["M" if scheme.startswith("BM") else "I"] * (end - start)
        if scheme in CLOSING:
            letters[0], letters[-1] = "B", CLOSING[scheme][0]
            letters = [CLOSING[scheme][1]] if end - start == 1 else letters
        elif scheme != "IOB1" or (start > 0 and tags[start - 1].endswith(f"-{kind}")):
            letters[0] = "B"
        tags[start:end] = [kind if scheme == "plain" else f"{letter}-{kind}" for letter in letters]
    return tags
