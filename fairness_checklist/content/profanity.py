"""Profanity in a text: strong words that are no slurs, so that a suite can leave out the templates that hold them."""

from __future__ import annotations

import re

_ENGLISH = (
    "arse|arsehole|ass|asses|asshole|bastard|bitch|bollocks|bullshit|crap|crappy|damn|damned|damnit|dick|dickhead|"
    "fuck|fucked|fucker|fucking|goddamn|hell|hellish|motherfucker|piss|pissed|prick|shit|shitty|shithole|wanker"
)
_SPANISH = "cabrón|cabrona|cojones|coño|gilipollas|hostia|joder|jodido|jodida|mierda|puta|puto"
_PROFANE = re.compile(rf"(?<!\w)(?:{_ENGLISH}|{_SPANISH})s?(?!\w)", re.IGNORECASE)


def profane_words(text: str) -> list[str]:
    """The profane words of a text, as they are written there."""
    return [found.group() for found in _PROFANE.finditer(text)]


def is_profane(text: str) -> bool:
    """Whether a text holds a profane word of a list of our own, in English or Spanish."""
    return _PROFANE.search(text) is not None
