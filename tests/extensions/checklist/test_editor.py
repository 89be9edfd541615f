"""The editor: the same fills as CheckList's, in a fixed order, and clear errors where CheckList's are silent."""

import copy
import math
import warnings
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sweep import sweep

from fairness_checklist.core.errors import TemplateError
from fairness_checklist.extensions.checklist.editor.editor import Editor
from fairness_checklist.extensions.checklist.editor.editor_lexicons import Lexicons
from fairness_checklist.extensions.rewriting.perturb import Cases

NAMES, JOBS = ["Ana", "Jim", "Lee"], ["clerk", "editor"]


class Pair:
    """A value with attributes."""

    def __init__(self, first: str, second: str) -> None:
        self.first, self.second = first, second

    def __repr__(self) -> str:
        return f"Pair({self.first})"


PAIRS = [Pair("big", "small"), Pair("new", "old")]
CITIES = [("Lima", "Peru"), ("Oslo", "Norway"), ("Rome", "Italy")]
NESTED = {"text": "{x} and {y}", "parts": ["{x}", ("{y}", {"z": "{x}{y}"})]}


def with_lexicon(editor: Any, call: Callable[[Any], Any], *values: Any, **keywords: bool) -> Any:
    """Add a lexicon, several times, and fill a template with it."""
    for at, one in enumerate(values):
        editor.add_lexicon("fruit", list(one), **(keywords if at else {"overwrite": True}))
    return call(editor)


CASES: dict[str, Callable[[Any], Any]] = {
    "no tag": lambda e: e.template("Nothing to fill."),
    "tag twice": lambda e: e.template("{x} met {x}.", x=NAMES),
    "three tags": lambda e: e.template("{x} {y} {z}", x=NAMES, y=JOBS, z=["1", "2"]),
    "escaped braces": lambda e: e.template("{{{x}}} {{y}}", x=NAMES),
    "conversion": lambda e: e.template("{x!r}", x=NAMES),
    "numbered and plain": lambda e: e.template("{x} met {x1} and {x}.", x=NAMES),
    "numbered, no duplicates": lambda e: e.template("{x1} met {x2}.", x=NAMES, remove_duplicates=True),
    "no duplicates of two lists": lambda e: e.template("{x} {y}", x=["a", "b"], y=["b", "c"], remove_duplicates=True),
    "no duplicates by text": lambda e: e.template("{x} {y}", x=[1, 2], y=["1", "3"], remove_duplicates=True),
    "list": lambda e: e.template(["{x}", "not {x}"], x=NAMES),
    "tuple": lambda e: e.template(("{x}", "{y}"), x=NAMES, y=JOBS),
    "nested": lambda e: e.template(NESTED, x=NAMES, y=JOBS, meta=True),
    "unroll tuple with meta": lambda e: e.template(("{x}", "{y}"), x=NAMES, y=JOBS, unroll=True, meta=True),
    "number label": lambda e: e.template("{x}", x=NAMES, labels=0),
    "string label": lambda e: e.template("{x}", x=NAMES, labels="positive"),
    "label with tag": lambda e: e.template("{x} is {y}.", x=NAMES, y=JOBS, labels="{y}"),
    "dictionary label": lambda e: e.template("{x}", x=NAMES, labels={"name": "{x}", "kind": ("a", "b")}),
    "meta": lambda e: e.template("{x1} met {x2}, {a:y}.", x=NAMES, y=JOBS, meta=True),
    "save, meta, labels": lambda e: e.template("{x}", x=NAMES, save=True, meta=True, labels="{x}", nsamples=None),
    "in parallel, no duplicates": lambda e: e.template(
        "{x} {y}", x=["a", "b"], y=["a", "c"], product=False, remove_duplicates=True, meta=True
    ),
    "attribute, numbered": lambda e: e.template("{x1.first} {x2.first}", x=PAIRS, remove_duplicates=True),
    "item by name": lambda e: e.template("{x[name]}", x=[{"name": "Ana"}, {"name": "Jim"}]),
    "attribute and index": lambda e: e.template("{x.first[0]}", x=PAIRS),
    "sum with labels": lambda e: e.template("{x}", x=NAMES, labels=1) + e.template("{y}", y=JOBS, labels="{y}"),
    "sum of all": lambda e: sum(
        (e.template("{x}", x=JOBS, labels=at, meta=True, save=True) for at in (1, 2)),
        start=e.template("{x}", x=NAMES, labels=0, meta=True, save=True),
    ),
    "lexicon overwritten": lambda e: with_lexicon(
        e, lambda e: e.template("{fruit}"), ["fig"], ["plum"], overwrite=True
    ),
    "lexicon without duplicates": lambda e: with_lexicon(
        e, lambda e: e.template("{fruit}"), ["fig", "kiwi"], ["fig", "lime"], append=True, remove_duplicates=True
    ),
    "list before lexicon": lambda e: with_lexicon(e, lambda e: e.template("{fruit}", fruit=["pear"]), ["fig"]),
}


def extended(editor: Any) -> Any:
    """``+=`` keeps the object and extends it."""
    filled = same = editor.template(["{x}"], x=NAMES, labels=1, meta=True)
    filled += editor.template(["{y}", "a"], y=JOBS, labels=2, meta=True)
    assert filled is same
    return filled


CASES["extended"] = extended


@pytest.fixture(scope="module")
def theirs(checklist: Any) -> Any:
    """CheckList's editor."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from checklist.editor import Editor as TheirEditor

        return TheirEditor()


def multiset(filled: Any) -> tuple[object, ...]:
    """What does not depend on the order of the fills: keys, and how often each text occurs with its label and meta."""
    columns = [name for name in ("data", "labels", "meta") if name in filled]
    rows: list[list[str]] = [[] for _ in filled["data"]]
    for name in columns:
        assert len(filled[name]) == len(rows)
        for row, value in zip(rows, filled[name], strict=True):
            row.append(repr(sorted(value.items())) if name == "meta" else repr(value))
    saved = []
    for parameters, lists in filled.get("templates", ()):
        options = {name: value for name, value in parameters.items() if name not in ("seed", "mask_only")}
        saved.append((repr(sorted(options.items())), repr(sorted(lists.items()))))
    return sorted(filled), Counter(map(tuple, rows)), sorted(saved)


@sweep("case", CASES)
def test_same_fills_as_checklist(case: str, theirs: Any) -> None:
    call = CASES[case]
    ours = call(Editor())
    assert multiset(ours) == multiset(call(theirs))
    assert repr(call(Editor())) == repr(ours)


@sweep(("template", "keywords"), [
    ("{x} met {y}.", {"labels": 1}),
    (["{x1}", "{x2}"], {"remove_duplicates": True, "meta": True}),
    (("{x}", "{y}"), {"unroll": True, "labels": 3}),
    ("{z[0]}", {"labels": "{z[1]}", "save": True}),
])  # fmt: skip
def test_samples_have_the_support_of_checklist(template: Any, keywords: dict[str, Any], theirs: Any) -> None:
    lists = {"x": NAMES, "y": JOBS, "z": CITIES}
    ours, other = (one.template(template, nsamples=400, **keywords, **lists) for one in (Editor(), theirs))
    every = Editor().template(template, **keywords, **lists)
    assert set(map(repr, ours.data)) == set(map(repr, other.data)) == set(map(repr, every.data))
    assert sorted(ours) == sorted(other)
    if "remove_duplicates" in keywords:
        assert 200 < len(ours.data) < 330  # two of three draws have two names
    else:
        assert len(ours.data) == len(other.data)


def test_sampling_is_seeded_and_uniform() -> None:
    fill = Editor().template
    assert fill("{x1}{x2}", x=range(9), nsamples=20) == fill("{x1}{x2}", x=range(9), nsamples=20, seed=0)
    assert fill("{x1}{x2}", x=range(9), nsamples=20) != fill("{x1}{x2}", x=range(9), nsamples=20, seed=1)
    counts = Counter(fill("{x}{y}", x="ab", y=["c", "d"], nsamples=4000).data)
    assert set(counts) == {"abc", "abd"}
    counts = Counter(fill("{x}{y}", x=["a", "b"], y=["c", "d"], nsamples=4000).data)
    assert len(counts) == 4
    assert all(abs(one - 1000) < 4 * math.sqrt(4000 * 3 / 16) for one in counts.values())
    assert fill("{x}", x=["a"], nsamples=0).data == []
    parallel = fill("{x}{y}", x=["a", "b"], y=["c", "d"], nsamples=50, product=False).data
    assert set(parallel) == {"ac", "bd"}


def test_order_is_that_of_the_tags_and_articles_follow_the_sound() -> None:
    filled = Editor().template(["{y}", "{x}"], x=["a", "b"], y=[2, 1], z=["p", "n"], labels="{z}", meta=True)
    assert filled.data[:5] == [["2", "a"], ["2", "a"], ["2", "b"], ["2", "b"], ["1", "a"]]
    assert filled.labels[:4] == ["p", "n", "p", "n"]
    assert list(filled.meta[0]) == ["y", "x", "z"]
    nouns = ["an hour", "a European", "an HIV-positive", "a unicorn", "an 80-year-old", "a cook", "an 11"]
    for article, noun in (written.split() for written in nouns):
        assert Editor().template("{a:x} {A:x}", x=[noun]).data == [f"{article} {noun} {article.capitalize()} {noun}"]


@sweep("label", [np.int64(2), True, False, "positive", 1.5, ["a", 0], (1, 2), {"b": None}, [], "", frozenset({1})])
def test_labels_of_any_type(label: Any) -> None:
    filled = Editor().template("{x}", x=JOBS, labels=label)
    assert filled.labels == [label, label]
    assert [type(one) for one in filled.labels] == [type(label)] * 2
    assert "labels" not in Editor().template("{x}", x=JOBS, labels=None)
    assert Editor().template(["{x}", {"id": 7, "none": None}], x=["a"]).data == [["a", {"id": 7, "none": None}]]


def test_unrolled_labels() -> None:
    fill = Editor().template
    parallel = fill(["{x}", "not {x}"], x=JOBS, labels=["{x}", 0], unroll=True, meta=True)
    assert parallel.labels == ["clerk", 0, "editor", 0]
    assert fill(["{x}", "not {x}"], x=JOBS, labels="{x}", unroll=True).labels == ["clerk", "clerk", "editor", "editor"]
    parallel.meta[0]["x"] = "changed"
    assert parallel.meta[1] == {"x": "clerk"}


def test_arrays_and_tables_are_lists_of_values() -> None:
    editor = Editor()
    for values in (
        np.array(JOBS),
        pd.Series(JOBS),
        iter(JOBS),
        dict.fromkeys(JOBS).keys(),
        pd.DataFrame({"job": JOBS}),
    ):
        assert editor.template("{x}", x=values).data == JOBS
    editor.add_lexicon("town", pd.DataFrame({"name": ["Lima", "Oslo"], "land": ["Peru", "Norway"]}))
    assert editor.template("{town.name}: {town.land}").data == ["Lima: Peru", "Oslo: Norway"]


def test_lexicons_are_copies_and_the_users_list_stays() -> None:
    editor, fruit = Editor(), ["fig"]
    editor.add_lexicon("fruit", fruit)
    editor.add_lexicon("fruit", ["lime", {"name": "kiwi"}, "fig"], append=True, remove_duplicates=True)
    editor.lexicons["fruit"].append("pear")
    assert fruit == ["fig"]
    assert editor.lexicons.fruit == ["fig", "lime", {"name": "kiwi"}]
    other = copy.deepcopy(editor)
    other.add_lexicon("fruit", ["date"], overwrite=True)
    assert editor.template("{fruit}", labels="{fruit}").labels[0] == "fig"
    editor.add_lexicon("greeting", "hello")
    editor.add_lexicon("greeting", "good day", append=True)
    assert editor.lexicons["greeting"] == ["hello", "good day"]


def test_built_in_lexicons() -> None:
    lexicons = Editor().lexicons
    spanish = ["first_name", "female", "male", "first_pronoun"]
    further = ["last_name", "city", "country", "nationality", "religion", "religion_adj", "sexual_adj", "race"]
    assert list(lexicons) == [*spanish, *further]
    for name, values in lexicons.items():
        assert len(values) > 9, name
        assert len(set(map(str, values))) == len(values), name
        assert all(values), name
    assert set(lexicons.male).isdisjoint(lexicons.female)
    assert {*lexicons.male, *lexicons.female} < set(lexicons.first_name)
    assert {"name": "Lisa", "pronoun": "she"} in lexicons.first_pronoun
    assert {"Islam", "Judaism"} <= set(lexicons.religion)
    assert {"Muslim", "secular"} <= set(lexicons.religion_adj)
    assert {"the Gambia", "France"} <= set(lexicons.country)
    assert "French" in lexicons.nationality
    assert "bisexual" in lexicons.sexual_adj
    assert {"homosexual"}.isdisjoint(lexicons.sexual_adj)  # dispreferred
    assert {"Black", "Asian American"} <= set(lexicons.race)
    lexicons = Editor("Spanish").lexicons
    assert list(lexicons) == spanish
    assert {"name": "Sara", "pronoun": "ella"} in lexicons.first_pronoun


def test_results_are_mappings_with_attributes() -> None:
    filled = Editor().template("{x}", x=JOBS, labels=1)
    assert isinstance(filled, Cases)
    assert filled["data"] is filled.data
    assert dict(**filled) == {"data": JOBS, "labels": [1, 1]}
    before = filled + filled
    filled.labels = [0, 1]
    assert (filled["labels"], before.labels) == ([0, 1], [1, 1, 1, 1])
    with pytest.raises(AttributeError) as caught:
        _ = filled.meta
    assert str(caught.value) == "these cases have no 'meta', only data, labels."


def test_what_is_not_built_or_not_known_says_what_to_use() -> None:
    editor = Editor()
    for name, needed in {"synonyms": "WordNet", "suggest": "a masked language model"}.items():
        with pytest.raises(AttributeError, match=rf"Editor.{name} is not available: it needs {needed}. Give the words"):
            getattr(editor, name)
    assert editor.template("{a:mask}", mask=["odd"]).data == ["an odd"]
    lexicons = Lexicons()
    with pytest.raises(KeyError):
        _ = lexicons["contry"]
    with pytest.raises(AttributeError, match="Did you mean country"):
        _ = lexicons.contry
    with pytest.raises(TemplateError):
        Editor().template("{x:>10}", x=["a"])
