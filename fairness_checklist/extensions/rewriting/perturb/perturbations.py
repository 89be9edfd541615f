"""Perturbed data: a function applied to each example, the example itself first; typos and punctuation."""

from __future__ import annotations

import inspect
import re
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from fairness_checklist.core.errors import OptionError
from fairness_checklist.core.keywords import checks_keywords
from fairness_checklist.core.option_defaults import SEED, whole_number

Replaced = tuple[str, str]  # what a text had, and what was written instead


class Cases(dict[str, Any]):
    """Cases of a test, from an editor or a perturbation: a dictionary whose values are attributes too.

    ``data`` holds the texts; ``labels`` and ``meta``, if there are any, are parallel to it; ``templates`` has one entry
    for each call. ``+`` joins two results of the same keys, ``+=`` extends the first. ``INV(**cases)`` takes all keys.

    >>> cases = Cases(data=[["Hi!", "Hi"]])
    >>> (cases + cases).data
    [['Hi!', 'Hi'], ['Hi!', 'Hi']]
    """

    def __getattr__(self, name: str) -> Any:
        if name not in self:
            raise AttributeError(f"these cases have no {name!r}, only {', '.join(self)}.")
        return self[name]

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value

    def __add__(self, other: object) -> Cases:
        joined = Cases(self)
        joined += other
        return joined

    def __iadd__(self, other: object) -> Cases:
        if not isinstance(other, Cases) or set(self) != set(other):
            named = ", ".join(other) if isinstance(other, Cases) else f"a {type(other).__name__}"
            raise OptionError(
                f"cases with {', '.join(self)} cannot be joined to {named}.",
                remedy="Give both the same of labels=, meta= and save=; join lists as cases.data + [...].",
            )
        for name in self:
            self[name] = [*self[name], *other[name]]
        return self


@checks_keywords
def perturb(
    data: Iterable[Any],
    function: Callable[..., Any],
    *args: Any,
    keep_original: bool = True,
    nsamples: int | None = None,
    meta: bool = False,
    seed: int = SEED,
    **kwargs: Any,
) -> Cases:
    """Apply a perturbation to each example, as `checklist.perturb.Perturb.perturb` does.

    An example is left out where the function returns nothing new, or has a None inside of a tuple or dictionary where
    the example has none. The order of the data is kept.

    Args:
        data: the examples: strings, objects with a ``text`` (a spaCy document), tuples, lists or dictionaries of them.
        function: called as ``function(example, *args, **kwargs)``. It returns one perturbed example or a list of them,
            or None where it does not apply; with ``meta=True``, which is passed on, two lists of the same length: the
            examples, and something about each.
        keep_original: whether the example itself comes first, as plain text.
        nsamples: at most so many examples, drawn from those that the function applies to; all by default.
        seed: of the draw; also passed on to a function with a parameter ``seed``. The functions here draw by the seed
            and the text, so a text is perturbed alike wherever it is in the data.

    Raises:
        OptionError: no data, no function, or a function that does not return what it should.

    >>> from fairness_checklist.extensions.rewriting.perturb import punctuation
    >>> perturb(["A good film.", "Fine"], punctuation).data
    [['A good film.', 'A good film'], ['Fine', 'Fine.']]
    >>> perturb([("Is it far?", "It is.")], lambda pair: (pair[0], pair[1].upper())).data
    [[('Is it far?', 'It is.'), ('Is it far?', 'IT IS.')]]
    """
    if isinstance(data, str | bytes | Mapping) or not isinstance(data, Iterable):
        raise OptionError(
            f"the data are of the type {type(data).__name__}; expected a list of examples.",
            remedy="Write perturb([text], function) for one text.",
        )
    if not callable(function):
        raise OptionError(
            f"function={function!r} cannot be called.", remedy="Write perturb(data, add_typos), for instance."
        )
    examples, name = list(data), getattr(function, "__name__", type(function).__name__)
    seed = whole_number("seed", seed, least=0)
    wanted, order = len(examples), list(range(len(examples)))
    if nsamples is not None:
        wanted = whole_number("nsamples", nsamples)
        order = np.random.default_rng([seed, len(examples)]).permutation(len(examples)).tolist()
    kwargs |= _passed_on(function, meta, seed)
    made: dict[int, tuple[list[Any], list[Any]]] = {}
    for position in order:
        if len(made) == wanted:
            break
        example = examples[position]
        texts, notes = _perturbed(example, function(example, *args, **kwargs), meta, name)
        if texts:
            made[position] = ([_plain(example), *texts], [None, *notes]) if keep_original else (texts, notes)
    rows = sorted(made)
    about = {"meta": [made[row][1] for row in rows]} if meta else {}
    return Cases(data=[made[row][0] for row in rows], **about)


def _passed_on(function: Callable[..., Any], meta: bool, seed: int) -> dict[str, Any]:
    """The keywords ``meta`` and ``seed`` for the function, where it takes them."""
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):  # a builtin that does not tell its parameters
        return {"meta": True} if meta else {}
    return ({"seed": seed} if "seed" in parameters else {}) | ({"meta": True} if meta else {})


def _perturbed(example: Any, returned: Any, meta: bool, name: str) -> tuple[list[Any], list[Any]]:
    """The perturbations of one example that are any, and their meta."""
    if returned is None:
        return [], []
    pair = returned if meta else (returned, None)
    two, texts, notes = isinstance(pair, tuple | list) and len(pair) == 2, [], [None]
    if two and isinstance(pair[0], list | np.ndarray):
        texts = list(pair[0])
        notes = [None] * len(texts) if pair[1] is None else list(pair[1])
    elif two:
        texts, notes = [pair[0]], [pair[1]]
    if len(texts) != len(notes):
        raise OptionError(
            f"{name}() does not return two lists of one length for meta=True.",
            remedy="Return (examples, meta), or None where the perturbation does not apply.",
        )
    original = _plain(example)
    used = [
        (text, note)
        for text, note in zip(map(_plain, texts), notes, strict=True)
        if text not in (None, "", (), [], {}, original) and (_has_none(original) or not _has_none(text))
    ]
    return [text for text, _note in used], [note for _text, note in used]


def _has_none(value: Any) -> bool:
    if isinstance(value, tuple | list):
        return any(map(_has_none, value))
    return any(map(_has_none, value.values())) if isinstance(value, dict) else value is None


def _plain(value: Any) -> Any:
    """An example with the text of each document in place of the document; numbers and the like stay."""
    if isinstance(value, tuple | list):
        parts = list(map(_plain, value))
        return parts if isinstance(value, list) else tuple(parts)
    if isinstance(value, dict):
        return {key: _plain(entry) for key, entry in value.items()}
    text = getattr(value, "text", None)
    return text if isinstance(text, str) else str(value) if isinstance(value, np.str_) else value


def text_of(value: object, function: str) -> str:
    """The text that a perturbation is given: a string, or anything with one as ``text``, such as a spaCy document."""
    text = value if isinstance(value, str) else getattr(value, "text", None)
    if isinstance(text, str):
        return str(text)
    raise OptionError(
        f"{function}() takes a text, not a {type(value).__name__}.",
        remedy="Say which part of an example is perturbed: "
        f"perturb(data, lambda pair: (pair[0], {function}(pair[1]))).",
    )


def generator(seed: object, text: str) -> np.random.Generator:
    """The generator of random numbers for one text: the same seed and text give the same draws, in any order."""
    return np.random.default_rng([whole_number("seed", seed, least=0), zlib.crc32(text.encode("utf-8", "replace"))])


def pick(
    pairs: Sequence[tuple[str, Replaced]], n: int, random: np.random.Generator, meta: bool
) -> list[str] | tuple[list[str], list[Replaced]] | None:
    """At most n of the texts, in order, with what was replaced where ``meta``; None where there are none."""
    if not pairs:
        return None
    if len(pairs) > n:
        pairs = [pairs[position] for position in sorted(random.choice(len(pairs), n, replace=False).tolist())]
    texts = [text for text, _replaced in pairs]
    return (texts, [replaced for _text, replaced in pairs]) if meta else texts


_PAIRS = {")": "(", "]": "[", "}": "{", "\u201d": "\u201c", "\u00bb": "\u00ab", '"': '"'}
_MARKS = frozenset(".,;:!?\u2026-\u2013\u2014\u00a1\u00bf\u3002\uff01\uff1f([{\u201c\u00ab").union(_PAIRS)
_ABBREVIATION = re.compile(
    r"(?:^|[^\w.])(?:(?:[^\W\d_]\.){2,}|(?:etc|mr|mrs|ms|dr|prof|st|jr|sr|inc|ltd|co|corp|vs|approx|ave|dept|est)\.)$",
    re.IGNORECASE,
)


@checks_keywords
def add_typos(text: object, typos: int = 1, *, seed: int = SEED) -> str | None:
    """The text with so many pairs of neighbouring characters swapped; None where it has too few places for them.

    Each pair differs, and is at a place of its own. The draw is that of `perturb`.

    >>> add_typos("A wonderful film."), add_typos("A wonderful film.", typos=2), add_typos("!!!")
    ('A wonedrful film.', 'A wonedrfu lfilm.', None)
    """
    original = text_of(text, "add_typos")
    wanted = whole_number("typos", typos)
    random = generator(seed, original)
    characters = list(original)
    free = set(range(len(characters) - 1))
    for _typo in range(wanted):
        places = [position for position in sorted(free) if characters[position] != characters[position + 1]]
        if not places:
            return None
        position = places[int(random.integers(len(places)))]
        characters[position], characters[position + 1] = characters[position + 1], characters[position]
        free.remove(position)
    made = "".join(characters)
    return made if made != original else None


def strip_punctuation(text: object) -> str:
    """The text without the marks at its end.

    A closing bracket or quotation mark stays where its partner stays, an apostrophe always, and so does the full stop
    of an abbreviation. Other marks, such as % and ``*``, are not punctuation here.

    >>> [strip_punctuation(text) for text in ("Great!!", "Great (really).", "In the U.S.", "Great :)", "100%")]
    ['Great', 'Great (really)', 'In the U.S.', 'Great', '100%']
    """
    bare = original = text_of(text, "strip_punctuation")
    while bare and (bare[-1].isspace() or bare[-1] in _MARKS):
        mark, opening = bare[-1], _PAIRS.get(bare[-1], "")
        closed = bare.count(mark) % 2 == 0 if mark == '"' else opening and bare.count(opening) >= bare.count(mark)
        if closed or _ABBREVIATION.search(bare):
            break
        bare = bare[:-1]
    return original if bare.rstrip() == original.rstrip() else bare.rstrip()


def punctuation(text: object) -> list[str]:
    """The text without the marks at its end, and with a full stop there: those of the two that differ from it.

    There is no full stop after a quotation or an abbreviation, and nothing is given where the text has no words.

    >>> punctuation("Great!"), punctuation("Great."), punctuation("Great"), punctuation('She said "no."')
    (['Great', 'Great.'], ['Great'], ['Great.'], [])
    """
    original = text_of(text, "punctuation")
    bare = strip_punctuation(original).rstrip()
    if not re.search(r"\w", bare):
        return []
    both = [bare] if bare[-1] in '."\u201d\u00bb' else [bare, f"{bare}."]
    return [made for made in both if made.rstrip() != original.rstrip()]
