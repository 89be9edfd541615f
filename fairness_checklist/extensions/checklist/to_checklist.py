"""Example sets as a suite of CheckList (Ribeiro et al. 2020): real `INV`, `MFT` and `DIR` tests."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairness_checklist.checks import Check, DirectionalExpectation, Invariance, MinimumFunctionality
from fairness_checklist.checks.directional import about_words
from fairness_checklist.core.errors import ModelError, OptionError, SuiteError
from fairness_checklist.core.examples import UNMARKED, ExampleSet
from fairness_checklist.core.option_defaults import number
from fairness_checklist.core.predictions import Predictions
from fairness_checklist.core.sentences import Sentences, read_sentences
from fairness_checklist.core.tasks import get_task
from fairness_checklist.extensions.checklist.export.exported_expectations import AllEntities, PairExpectation, SameTags
from fairness_checklist.extensions.checklist.export.saved_templates import SavedTemplate, saved_template
from fairness_checklist.extensions.checklist.export.tagged_texts import (
    Place,
    WordProbabilities,
    places_of,
    read_tagged_line,
    wrap_tagger,
    write_spans,
    write_tagged_line,
)
from fairness_checklist.extensions.checklist.library import import_checklist
from fairness_checklist.models.base import predict_with_checks
from fairness_checklist.models.load import load_model
from fairness_checklist.run.options import DEFAULT_CHECKS, RunOptions

__all__ = [
    "WordProbabilities",
    "cases_with_reference_first",
    "read_tagged_line",
    "to_checklist",
    "wrap_classifier",
    "wrap_tagger",
    "write_tagged_line",
]

CAPABILITY = "Fairness"


def to_checklist(
    sets: Iterable[ExampleSet],
    *,
    checks: Sequence[Check] = DEFAULT_CHECKS,
    tolerance: float | None = None,
    classes: Sequence[str] | None = None,
) -> Any:
    """A `checklist.test_suite.TestSuite` with a test for each example set and check, of the same name as in a run.

    `Invariance` becomes *INV*, `DirectionalExpectation` *DIR*: a case is a source, its texts the reference (the
    unmarked control, else the first term of the first group) and after it those of all groups. Sources that are not
    symmetric, and sources without a text to compare, are left out. `MinimumFunctionality` becomes *MFT*: a case is a
    text that mentions a group and has a gold class. Each case passes and fails as in a run of this package.

    Run it with ``suite.run(wrap_classifier(model))``, of a suite for taggers with ``suite.run(wrap_tagger(model))``; or
    with ``suite.run(PredictorWrapper.wrap_softmax(f))``, where f gives an (n, C) array over ``classes``.

    Weights have no counterpart in CheckList and are left out. In a process that opens a saved suite, call
    `import_checklist` first.

    Args:
        sets: example sets, each of an attribute of its own.
        checks: the tests.
        tolerance: in [0, 1], in place of the tolerance of each `Invariance`.
        classes: the C classes that the tested model can predict, in the order of its probabilities; by default those
            of the example sets. Texts of another gold class (neutral, for a model of two classes) take no part in MFT.
            Of a tagger the types of entities; by default those that its predictions name. Gold entities of another
            type take no part.

    Returns:
        The suite. Each text has as meta a dict with ``source``, ``group`` (``"unmarked"`` for the control) and
        ``term``; MFT labels are positions in ``classes``, of a tagger the JSON list of the gold entities. ``templates``
        of a test has an entry for each source: the parameters and fill-ins with which CheckList's editor writes its
        texts again.

    Raises:
        SuiteError: the same attribute twice, two tests of one name, or nothing to test.
        OptionError: a tolerance outside [0, 1]; a check that CheckList has not, a label that is not among the classes,
            or a directional expectation of a tagger.
        MissingExtraError: CheckList is not installed.

    >>> from fairness_checklist.core.examples import ListedTexts, Source
    >>> codes = np.array([0, 0])
    >>> examples = ExampleSet("gender", "sentiment", ("female", "male"), ("She", "He"), np.array([0, 1]),
    ...                       (Source("t1", label="positive"),), codes, np.array([0, 1]), np.array([0, 1]),
    ...                       ("negative", "positive"), np.array([1, 1]), ListedTexts(("She won.", "He won.")))
    >>> suite = to_checklist([examples])
    >>> list(suite.tests)
    ['gender: invariance', 'gender: minimum functionality']
    >>> suite.tests["gender: invariance"].data
    [['She won.', 'He won.']]
    """
    chosen = _chosen_checks(checks, tolerance)
    exports = [_Export(examples, None if classes is None else tuple(classes)) for examples in sets]
    _check_names([export.examples.attribute for export in exports], chosen)
    for export in exports:
        _check_directional(export, chosen)
    package = import_checklist()
    suite = package.test_suite.TestSuite()
    for export in exports:
        for check in chosen:
            test = _test(package, export, check)
            if test is not None:
                suite.add(test)
    if not suite.tests:
        raise SuiteError(
            "nothing to export: no symmetric source with two texts, and no text with a gold class."
            if chosen
            else "nothing to export: checks=[] names no test.",
            remedy="Build the suite with two terms at least, or with labelled templates."
            if chosen
            else "Leave checks out: by default Invariance and MinimumFunctionality are exported.",
        )
    return suite


def wrap_classifier(model: Any, **loading: Any) -> Callable[[Sequence[str]], tuple[NDArray[Any], NDArray[Any]]]:
    """A prediction function for ``run`` of the tests that `to_checklist` makes, with ``classes=model.classes``.

    Args:
        model: a classifier that `load_model` gave, or whatever it takes.
        loading: options for `load_model`.

    Returns:
        A function from n texts to the positions of the predicted classes (n,) and the probabilities (n, C); these are
        1 and 0 where only decisions are known.

    Raises:
        ModelError: the model tags words.

    >>> predict = wrap_classifier(lambda texts: [0.75] * len(texts))
    >>> predict(["Anna is here."])
    (array([1]), array([[0.25, 0.75]]))
    """
    loaded = all(hasattr(model, name) for name in ("predict", "describe", "classes"))
    classifier = model if loaded and not loading else load_model(model, **loading)

    def predict(texts: Sequence[str]) -> tuple[NDArray[Any], NDArray[Any]]:
        found = predict_with_checks(classifier, list(texts))
        if not isinstance(found, Predictions):
            raise ModelError(
                f"the model {classifier.name} tags words, and wrap_classifier is for classifiers.",
                remedy="Use wrap_tagger.",
            )
        decided = np.eye(len(found.classes))[found.predicted]
        return found.predicted, decided if found.probabilities is None else found.probabilities

    return predict


@dataclass(frozen=True)
class _Export:
    """An example set, and what its tests share; computed when it is first needed.

    Attributes:
        examples: n texts.
        given: the classes that were given, else None.
    """

    examples: ExampleSet
    given: tuple[str, ...] | None

    @property
    def tagging(self) -> bool:
        return get_task(self.examples.task).tagging

    @property
    def classes(self) -> tuple[str, ...]:
        return self.examples.classes if self.given is None else self.given

    @cached_property
    def texts(self) -> list[str]:
        return self.examples.render()

    @cached_property
    def sentences(self) -> Sentences:
        return read_sentences(self.examples.texts)

    @cached_property
    def places(self) -> tuple[list[list[Place]], list[bool]]:
        return places_of(self.examples, self.sentences)

    @cached_property
    def cases(self) -> list[list[int]]:
        return cases_with_reference_first(self.examples, self.places[1] if self.tagging else None)

    def meta(self, row: int) -> dict[str, Any]:
        """The metadata of a text."""
        examples = self.examples
        source, group, term = int(examples.source[row]), int(examples.group[row]), int(examples.term[row])
        return {
            "source": examples.sources[source].id if source >= 0 else "",
            "group": examples.groups[group] if group >= 0 else UNMARKED,
            "term": examples.terms[term] if term >= 0 else "",
        }

    def template(self, rows: Sequence[int], label: int | None = None) -> SavedTemplate:
        """The template of some rows of one source."""
        source = int(self.examples.source[rows[0]])
        text = self.examples.sources[source].text if source >= 0 else ""
        return saved_template(text, [self.texts[row] for row in rows], label)


def _chosen_checks(checks: Sequence[Check], tolerance: float | None) -> list[Check]:
    """The checks, those of invariance with the tolerance that was given."""
    chosen = []
    for check in RunOptions(checks=checks).checks:
        if not isinstance(check, (Invariance, MinimumFunctionality, DirectionalExpectation)):
            raise OptionError(
                f"checks holds {check!r}, which has no counterpart in CheckList.",
                remedy="Leave it out: Invariance, MinimumFunctionality and DirectionalExpectation can be exported.",
            )
        given = tolerance is not None and isinstance(check, Invariance)
        chosen.append(Invariance(number("tolerance", tolerance)) if given else check)
    if tolerance is not None:
        number("tolerance", tolerance)
    return chosen


def _name(attribute: str, check: Check) -> str:
    """The name of a test, as in the tables of a run."""
    if isinstance(check, DirectionalExpectation):
        return f"{attribute}: {check.title}"
    return f"{attribute}: {'invariance' if isinstance(check, Invariance) else 'minimum functionality'}"


def _check_names(attributes: Sequence[str], checks: Sequence[Check]) -> None:
    """Raise `SuiteError` where two tests would have one name."""
    for position, name in enumerate(attributes):
        if name in attributes[:position]:
            raise SuiteError(
                f"the attribute {name!r} appears twice; a suite of CheckList has one test of a name.",
                remedy="Export the example sets one at a time.",
            )
    names = [_name(attribute, check) for attribute in attributes for check in checks]
    for position, name in enumerate(names):
        if name in names[:position]:
            raise SuiteError(
                f"two tests have the name {name!r}; a suite of CheckList has one test of a name.",
                remedy='Leave one out, or name a directional expectation: DirectionalExpectation(..., name="...").',
            )


def _check_directional(export: _Export, checks: Sequence[Check]) -> None:
    """Raise `OptionError` for directional expectations that cannot be tested on an example set."""
    for check in checks:
        if isinstance(check, DirectionalExpectation):
            if export.tagging:
                raise about_words()
            check.check_label(export.classes)


def cases_with_reference_first(examples: ExampleSet, aligned: Sequence[bool] | None = None) -> list[list[int]]:
    """The rows of each source of the tests of pairs, the reference first.

    Args:
        examples: the example set.
        aligned: (n,) whether a row may be a reference; None where all may.

    Returns:
        One list of row numbers for each symmetric source with a text to compare, in the order of the sources: the
        unmarked control first, else the first term of the first group, then the texts of all groups in their order.
    """
    rows_of: list[list[int]] = [[] for _ in examples.sources]
    for row, source in enumerate(examples.source.tolist()):
        if source >= 0:
            rows_of[source].append(row)
    cases = []
    for source, rows in zip(examples.sources, rows_of, strict=True):
        fitting = rows if aligned is None else [row for row in rows if aligned[row]]
        if not source.symmetric or not fitting:
            continue
        first = min(fitting, key=lambda row: (examples.group[row], row))  # the control's group is -1
        others = [row for row in rows if row != first and examples.group[row] >= 0]
        if others:
            cases.append([first, *others])
    return cases


def _test(package: ModuleType, export: _Export, check: Check) -> Any:
    """The test of CheckList for a check; None where the example set has no case."""
    if isinstance(check, MinimumFunctionality):
        return _functionality(package, export, _name(export.examples.attribute, check))
    if not export.cases:
        return None
    about = [[export.meta(row) for row in case] for case in export.cases]
    shared: dict[str, Any] = {
        "data": [[export.texts[row] for row in case] for case in export.cases],
        "labels": None,
        "meta": about,
        "templates": [export.template(case) for case in export.cases],
        "name": _name(export.examples.attribute, check),
        "capability": CAPABILITY,
    }
    groups = ", ".join(export.examples.groups)
    if isinstance(check, DirectionalExpectation):
        expected = f"The prediction changes in the expected direction ({check.title}) when a group is mentioned"
        shared["description"] = f"{expected} ({groups})."
        return package.test_types.DIR(expect=_directional(package, check, export.classes), **shared)
    shared["description"] = f"The prediction does not depend on the identity term ({groups})."
    if not export.tagging:
        return package.test_types.INV(threshold=check.tolerance, **shared)
    for case, metas in zip(export.cases, about, strict=True):
        for row, meta in zip(case, metas, strict=True):
            meta["places"] = export.places[0][row]
    expect = package.expect.Expect.testcase(SameTags(check.tolerance))
    return package.test_types.INV(expect=expect, threshold=check.tolerance, **shared)


def _directional(package: ModuleType, check: DirectionalExpectation, classes: tuple[str, ...]) -> Any:
    """The expectation function: CheckList's own where it has one."""
    if callable(check.expectation):
        return package.expect.Expect.testcase(PairExpectation(check.expectation, check.title, classes))
    label = classes.index(check.label) if check.label else None
    increasing = check.expectation == "increases"
    return package.expect.Expect.monotonic(label=label, increasing=increasing, tolerance=check.tolerance)


def _functionality(package: ModuleType, export: _Export, name: str) -> Any:
    rows, labels = _labelled_entities(export) if export.tagging else _labelled(export)
    if not rows:
        return None
    right = "All entities are found, and nothing else" if export.tagging else "The prediction is the gold class"
    known = (export.given or ()) if export.tagging else export.classes
    listed = f" ({', '.join(known)})" if known else ""
    return package.test_types.MFT(
        data=[export.texts[row] for row in rows],
        expect=package.expect.Expect.testcase(AllEntities(tuple(known))) if export.tagging else None,
        labels=labels,
        meta=[export.meta(row) for row in rows],
        templates=_templates_of(export, rows, labels),
        name=name,
        capability=CAPABILITY,
        description=f"{right}{listed}, whoever is spoken of.",
    )


def _labelled(export: _Export) -> tuple[list[int], list[int]]:
    """The rows with a group and a gold class that the model has, and the positions of these classes."""
    examples, classes = export.examples, export.classes
    position = [classes.index(name) if name in classes else -1 for name in examples.classes]
    gold = [position[label] if label >= 0 else -1 for label in examples.label.tolist()]
    rows = np.flatnonzero((np.asarray(gold) >= 0) & (examples.group >= 0)).tolist()
    return rows, [gold[row] for row in rows]


def _labelled_entities(export: _Export) -> tuple[list[int], list[str]]:
    """The rows with a group whose gold entities are known, and these entities."""
    sentences = export.sentences
    spans: list[list[tuple[int, int, str]]] = [[] for _ in range(len(sentences))]
    gold = sentences.gold
    columns = (gold.row.tolist(), gold.start.tolist(), gold.end.tolist(), gold.type.tolist())
    for row, start, end, kind in zip(*columns, strict=True):
        spans[row].append((start, end, sentences.types[kind]))
    rows = np.flatnonzero(sentences.tagged & (export.examples.group >= 0)).tolist()
    return rows, [write_spans(spans[row]) for row in rows]


def _templates_of(export: _Export, rows: Sequence[int], labels: Sequence[int] | Sequence[str]) -> list[SavedTemplate]:
    """The templates of the rows of a test whose cases are single texts, one for each source and label in turn."""
    source = export.examples.source.tolist()
    runs: list[tuple[list[int], int | None]] = []
    for row, label in zip(rows, labels, strict=True):
        whole = label if isinstance(label, int) else None
        if runs and source[row] >= 0 and source[runs[-1][0][0]] == source[row] and runs[-1][1] == whole:
            runs[-1][0].append(row)
        else:
            runs.append(([row], whole))
    return [export.template(run, label) for run, label in runs]
