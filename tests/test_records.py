"""Records can be compared and hashed: by value where users hold them, else by identity; none raises."""

import dataclasses
import importlib
import inspect
import pkgutil
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from build_outcomes import example_sets, outcomes_of, random_rows
from sweep import sweep

import fairness_checklist as fc
from fairness_checklist.core.arrays import by_value
from fairness_checklist.core.predictions import TokenPredictions
from fairness_checklist.core.tagging import Spans
from fairness_checklist.metrics.catalogue import compute

UNHASHABLE = re.compile(r"Array|DataFrame|Series|Mapping|dict\[|list\[|Lists")
TEMPLATES = ["I met {a:identity.writer}.", "I hired {a:identity.writer}."]
TERMS = {"deaf": ["deaf"], "hearing": ["hearing"]}


def fair(texts: list[str]) -> list[dict[str, float]]:
    return [{"negative": 0.25, "neutral": 0.25, "positive": 0.5}] * len(texts)


def test_suites_are_equal_by_value(tmp_path: Path) -> None:
    suite = fc.Suite.from_templates(TEMPLATES, TERMS)
    same, other = fc.Suite.from_templates(TEMPLATES, TERMS), fc.Suite.from_templates(TEMPLATES[:1], TERMS)

    assert suite == same
    assert suite != other
    assert suite != tuple(suite.parts)  # type: ignore[comparison-overlap]
    assert hash(suite) == hash(same)
    assert len({suite, same, other}) == 2
    assert fc.Suite.load(suite.save(tmp_path / "suite")) == suite


def test_results_are_equal_by_value(tmp_path: Path) -> None:
    suite = fc.Suite.from_templates(TEMPLATES, TERMS)
    first, again = (suite.run(fair, progress=False, draws=0, name="fair") for _ in range(2))
    other = suite.run(fair, progress=False, draws=0, metrics=["fnr_gap"], name="fair")

    assert first == again
    assert hash(first) == hash(again)
    assert first != other
    assert first == again
    loaded = [fc.Result.load(first.save(tmp_path / "run")) for _ in range(2)]
    assert loaded[0] == loaded[1]


def test_records_of_arrays_are_equal_by_value() -> None:
    def made(seed: int) -> list[Any]:
        rows = random_rows(seed, unlabelled=2)
        outcomes = outcomes_of(rows)
        spans = Spans.of([(0, 0, 1, 0)])
        return [
            *example_sets(rows),
            outcomes,
            outcomes.row_counts,
            outcomes.units,
            fc.Invariance().run(outcomes),
            fc.MinimumFunctionality().run(outcomes),
            compute("fnr_gap", outcomes),
            TokenPredictions(("PER",), np.array([0, 1, 3]), spans, np.full((3, 2), seed / 10)),
        ]

    for one, same, other in zip(made(1), made(1), made(2), strict=True):
        assert one == same
        assert hash(one) == hash(same)
        assert one != other
        assert len({one, same, other}) == 2


@by_value
@dataclasses.dataclass(frozen=True, eq=False)
class Anything:
    value: Any
    name: str = dataclasses.field(default="", compare=False)


NAN = float("nan")
EQUAL = [
    (np.array([1.0, NAN]), np.array([1.0, NAN])),
    (np.array([1, 2], dtype=np.int32), np.array([1, 2], dtype=np.int64)),
    (np.array(["a", None, NAN], dtype=object), np.array(["a", None, NAN], dtype=object)),
    (pd.DataFrame({"a": [1.0, NAN]}), pd.DataFrame({"a": [1.0, NAN]})),
    (pd.DataFrame({"a": [["B-PER", "O"], ["O"]]}), pd.DataFrame({"a": [["B-PER", "O"], ["O"]]})),
    ({"a": np.zeros(2), "b": [NAN]}, {"b": [NAN], "a": np.zeros(2)}),
    ((np.zeros(2), [np.ones(1)]), (np.zeros(2), [np.ones(1)])),
    (float("nan"), float("-nan")),
    (None, None),
    (0.0, -0.0),
]
UNEQUAL = [
    (np.zeros(2), np.zeros(3)),
    (np.zeros(2), [0.0, 0.0]),
    (np.zeros(2), None),
    (np.array(["a"]), np.array([1])),
    (pd.DataFrame({"a": [1]}), pd.DataFrame({"b": [1]})),
    (pd.DataFrame({"a": [1]}), None),
    ({"a": 1}, {"a": 1, "b": 2}),
    ((1,), (1, 2)),
    (pd.NA, 1),
]


@sweep(("one", "other"), EQUAL)
def test_equal_values_have_equal_hashes(one: Any, other: Any) -> None:
    assert Anything(one, "x") == Anything(other, "y")
    assert hash(Anything(one)) == hash(Anything(other))


@sweep(("one", "other"), UNEQUAL)
def test_unequal_values(one: Any, other: Any) -> None:
    assert Anything(one) != Anything(other)
    assert isinstance(hash(Anything(one)), int)


def _records() -> list[type[Any]]:
    found = {}
    for module in pkgutil.walk_packages(fc.__path__, "fairness_checklist."):
        if not module.name.endswith("__main__"):
            for name, value in vars(importlib.import_module(module.name)).items():
                if inspect.isclass(value) and dataclasses.is_dataclass(value) and value.__module__ == module.name:
                    found[module.name, name] = value
    return [found[at] for at in sorted(found)]


def test_no_record_that_holds_arrays_tables_or_mappings_has_the_methods_that_raise() -> None:
    raising = [
        f"{record.__module__}.{record.__name__}"
        for record in _records()
        if record.__dataclass_params__.frozen and record.__dataclass_params__.eq
        if any(UNHASHABLE.search(str(field.type)) for field in dataclasses.fields(record) if field.compare)
        if not any("Callable" in str(field.type) for field in dataclasses.fields(record))
    ]
    assert raising == [], "write eq=False in their @dataclass(...), and @by_value above it where users hold them"
