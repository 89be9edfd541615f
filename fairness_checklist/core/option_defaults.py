"""Parameters that Python and the command line share: their defaults, and how a value is checked.

Nothing heavy is imported here, so that ``--help`` can show the defaults. Each check gives the value back as a plain
Python value (NumPy integers become ``int``), so that it can be written to ``run.json``.
"""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Collection, Iterable, Mapping
from numbers import Integral, Real
from typing import Final

from fairness_checklist.core.errors import OptionError, did_you_mean

TASK = "sentiment"
LANGUAGE = "en"
MODEL = "bundled"
TOLERANCE = 0.1  # how far a probability may move in a test of invariance
MAX_SOURCES = 100_000  # sources that the templates of one attribute make at most
DRAWS = 1000  # assignments of terms to groups
UNLABELLED = ("keep", "drop")  # the first is the default
DENOMINATOR: Final = "true_class"
WEIGHT: Final = "source"
UNDEFINED: Final = "report"
SEED = 0
GROUP_ATTRIBUTE = "group"  # what the groups of a table without a column attribute are groups of
MIN_CELL = 20  # rows of a group that is made from the columns of a table
BATCH_TOKENS = 2048
RELEVANT = 0.02  # the smallest relevant gap, in decisions and in probability
DTYPE = "float32"


def whole_number(name: str, value: object, *, least: int = 1) -> int:
    """A whole number that is not too small; bools, fractions and NaN are none.

    >>> whole_number("max_terms", 2.5)
    Traceback (most recent call last):
    fairness_checklist.core.errors.OptionError: max_terms=2.5 is not a whole number; expected 1 or more.
    """
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise OptionError(f"{name}={value!r} is not a whole number; expected {least} or more.")
    if value < least:
        raise OptionError(f"{name}={int(value)} is too small; expected {least} or more.")
    return int(value)


def number(name: str, value: object, *, least: float = 0.0, most: float = 1.0) -> float:
    """A number in a range, both ends included; bools and NaN are none.

    >>> number("tolerance", float("nan"))
    Traceback (most recent call last):
    fairness_checklist.core.errors.OptionError: tolerance=nan is not a number from 0 to 1.
    """
    if isinstance(value, bool) or not isinstance(value, Real) or not least <= float(value) <= most:
        raise OptionError(f"{name}={_plain(value)} is not a number from {least:g} to {most:g}.")
    return float(value)


def flag(name: str, value: object) -> bool:
    """True or False, of Python or NumPy; other values are refused rather than read as one of the two."""
    if type(value).__name__ not in ("bool", "bool_") or value not in (True, False):
        raise OptionError(f"{name}={value!r} is not known.", remedy="Expected True or False.")
    return bool(value)


def nfc(name: str) -> str:
    """A name in Unicode's composed form (NFC), in which names are compared; texts stay as they are written.

    >>> nfc("Jose\\u0301") == "Jos\\u00e9"
    True
    """
    return unicodedata.normalize("NFC", name)


def string(name: str, value: object, *, empty: bool = True) -> str:
    """A string in NFC, perhaps an empty one."""
    if not isinstance(value, str) or not (value or empty):
        remedy = "Expected a string." if empty else "Expected a string that is not empty."
        raise OptionError(f"{name}={value!r} is not a name.", remedy=remedy)
    return nfc(value)


def choice(name: str, value: object, known: Collection[str]) -> str:
    """One of the known values."""
    if not isinstance(value, str) or value not in known:
        near = did_you_mean(value, known) if isinstance(value, str) and value else ""
        raise OptionError(f"{name}={value!r} is not known.", remedy=f"Known: {', '.join(filter(None, known))}.{near}")
    return str(value)


def names(name: str, value: object, *, empty: bool = False) -> tuple[str, ...]:
    """Several names in NFC; a single string is one name, and never a list of letters.

    >>> names("groups", "women"), names("groups", ["women", "men"])
    (('women',), ('women', 'men'))
    >>> names("groups", [])
    Traceback (most recent call last):
    fairness_checklist.core.errors.OptionError: groups=[] names nothing.
        Name one at least, or leave groups out.
    """
    return tuple(nfc(str(item)) for item in items(name, value, (str,), "strings", empty=empty))


def items(name: str, value: object, kinds: tuple[type, ...], what: str, *, empty: bool = False) -> tuple[object, ...]:
    """Several values, each of one of some types; a single one is treated as a list of one."""
    if isinstance(value, kinds):
        value = [value]
    if isinstance(value, (str, bytes, Mapping)) or not isinstance(value, Iterable):
        raise OptionError(f"{name}={value!r} is not a list of {what}.", remedy=f"Expected {what}: {name}=[...].")
    values = tuple(value)
    for item in values:
        if not isinstance(item, kinds):
            raise OptionError(f"{name} holds {item!r}, which is none of the {what} expected.")
        if isinstance(item, str) and not item.strip():
            raise OptionError(f"{name} holds an empty name.", remedy="Leave it out.")
    if not values and not empty:
        raise OptionError(f"{name}=[] names nothing.", remedy=f"Name one at least, or leave {name} out.")
    return values


def path(name: str, value: object) -> str:
    """A path as a string."""
    if not isinstance(value, (str, os.PathLike)) or not isinstance(os.fspath(value), str) or not os.fspath(value):
        raise OptionError(f"{name}={value!r} is not a path.", remedy="Expected a string or a Path.")
    return os.fspath(value)


def _plain(value: object) -> str:
    return f"{float(value):g}" if isinstance(value, Real) and not isinstance(value, bool) else repr(value)
