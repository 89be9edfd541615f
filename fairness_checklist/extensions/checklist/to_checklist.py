"""Example sets, and behavioral tests of ours, as a suite of CheckList (Ribeiro et al. 2020)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from fairness_checklist.checks import Check
from fairness_checklist.checks.directional import DirectionalExpectation, about_words
from fairness_checklist.checks.invariance_and_mft import Invariance, MinimumFunctionality
from fairness_checklist.core.errors import OptionError, SuiteError
from fairness_checklist.core.examples import UNMARKED, ExampleSet
from fairness_checklist.core.option_defaults import number
from fairness_checklist.core.sentences import Sentences, read_sentences
from fairness_checklist.core.tasks import get_task
from fairness_checklist.extensions.checklist.behavioral.expect import Expectation
from fairness_checklist.extensions.checklist.exported_expectations import (
    AllEntities,
    PairExpectation,
    Place,
    SameTags,
    places_of,
    spans_by_row,
    write_spans,
)
from fairness_checklist.extensions.checklist.library import import_checklist
from fairness_checklist.run.options import DEFAULT_CHECKS, RunOptions

if TYPE_CHECKING:
    from fairness_checklist.extensions.checklist.behavioral.test_suite import TestSuite

CAPABILITY = "Fairness"
_FIELDS = ("labels", "meta", "agg_fn", "templates", "name", "capability", "description")


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

    Run it with ``suite.run(wrap_classifier(model))``, of a suite for taggers with ``suite.run(wrap_tagger(model))``
    (of `exported_expectations`); or with ``suite.run(PredictorWrapper.wrap_softmax(f))``, where f gives an (n, C) array
    over ``classes``.

    Weights have no counterpart in CheckList and are left out. In a process that opens a saved suite, call
    `import_checklist` first.

    Each text has as meta a dict with ``source``, ``group`` (``"unmarked"`` for the control) and ``term``; MFT labels
    are positions in ``classes``, of a tagger the JSON list of the gold entities.

    The arguments are those of `Suite.to_checklist`. Texts of another gold class than ``classes`` (neutral, for a model
    of two classes) take no part in MFT, and of a tagger gold entities of another type; by default its types are those
    that its predictions name.
    """
    chosen = _chosen_checks(checks, tolerance)
    exports = [_Export(examples, None if classes is None else tuple(classes)) for examples in sets]
    _check_names(exports, chosen)
    package = import_checklist()
    suite = package.test_suite.TestSuite()
    for export in exports:
        for check in chosen:
            test = _test(package, export, check)
            if test is not None:
                suite.add(test)
    if not suite.tests and not chosen:
        raise SuiteError(
            "nothing to export: checks=[] names no test.",
            remedy="Leave checks out: by default Invariance and MinimumFunctionality are exported.",
        )
    if not suite.tests:
        raise SuiteError(
            "nothing to export: no symmetric source with two texts, and no text with a gold class.",
            remedy="Build the suite with two terms at least, or with labelled templates.",
        )
    return suite


@dataclass(frozen=True)
class _Export:
    """An example set, the classes that were given, and what its tests share; computed when it is first needed."""

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


def _check_names(exports: Sequence[_Export], checks: Sequence[Check]) -> None:
    """Raise an error where two tests would have one name, or a directional expectation cannot be tested."""
    attributes = [export.examples.attribute for export in exports]
    name = _first_twice(attributes)
    if name is not None:
        raise SuiteError(
            f"the attribute {name!r} appears twice; a suite of CheckList has one test of a name.",
            remedy="Export the example sets one at a time.",
        )
    name = _first_twice([_name(attribute, check) for attribute in attributes for check in checks])
    if name is not None:
        raise SuiteError(
            f"two tests have the name {name!r}; a suite of CheckList has one test of a name.",
            remedy='Leave one out, or name a directional expectation: DirectionalExpectation(..., name="...").',
        )
    for export in exports:
        for check in checks:
            if isinstance(check, DirectionalExpectation):
                if export.tagging:
                    raise about_words()
                check.check_label(export.classes)


def _first_twice(names: Sequence[str]) -> str | None:
    return next((name for name in names if names.count(name) > 1), None)


def cases_with_reference_first(examples: ExampleSet, aligned: Sequence[bool] | None = None) -> list[list[int]]:
    """The rows of each symmetric source with a text to compare, in the order of the sources, the reference first.

    That is the unmarked control, else the first term of the first group; behind it stand the texts of all groups in
    their order. ``aligned`` (n,) says whether a row may be a reference.
    """
    rows_by_source: list[list[int]] = [[] for _ in examples.sources]
    for row, source in enumerate(examples.source.tolist()):
        if source >= 0:
            rows_by_source[source].append(row)
    cases = []
    for source, rows in zip(examples.sources, rows_by_source, strict=True):
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
    meta = [[export.meta(row) for row in case] for case in export.cases]
    groups = ", ".join(export.examples.groups)
    shared: dict[str, Any] = {
        "data": [[export.texts[row] for row in case] for case in export.cases],
        "labels": None,
        "meta": meta,
        "name": _name(export.examples.attribute, check),
        "capability": CAPABILITY,
        "description": f"The prediction does not depend on the identity term ({groups}).",
    }
    if isinstance(check, DirectionalExpectation):
        expected = f"The prediction changes in the expected direction ({check.title}) when a group is mentioned"
        shared["description"] = f"{expected} ({groups})."
        return package.test_types.DIR(expect=_directional(package, check, export.classes), **shared)
    if export.tagging:
        for case, metas in zip(export.cases, meta, strict=True):
            for row, about in zip(case, metas, strict=True):
                about["places"] = export.places[0][row]
        shared["expect"] = package.expect.Expect.testcase(SameTags(check.tolerance))
    return package.test_types.INV(threshold=check.tolerance, **shared)


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
    spans = spans_by_row(sentences.gold, sentences.types, len(sentences))
    rows = np.flatnonzero(sentences.tagged & (export.examples.group >= 0)).tolist()
    return rows, [write_spans(spans[row]) for row in rows]


def suite_to_checklist(suite: TestSuite) -> Any:
    """The tests as a `checklist.test_suite.TestSuite`, with their results where they were run."""
    package = import_checklist()
    made = package.test_suite.TestSuite()
    for test in suite.tests.values():
        test.check_known()
        expect = _checklist_function(test.expect, package)
        fields = {name: getattr(test, name) for name in _FIELDS}
        theirs = getattr(package.test_types, test.kind)(data=list(test.data), expect=expect, **fields)
        if test.results is not None:
            theirs.run_idxs = test.run_idxs
            theirs.results = package.abstract_test.Munch(preds=list(test.results.preds), confs=list(test.results.confs))
            theirs.update_expect()
        made.add(theirs)
    return made


def _checklist_function(expectation: Expectation, package: ModuleType) -> Any:
    """CheckList's function for an expectation; a function of the user's is handed on."""
    expect = package.expect.Expect
    parts = {
        name: _checklist_function(value, package) if isinstance(value, Expectation) else value
        for name, value in expectation.arguments.items()
    }
    if expectation.form == "function":
        return parts["fn"]
    if expectation.form == "slice_orig":  # CheckList's hands over the compared text's prediction in place of conf
        slice_fn = parts["slice_fn"]
        kept = expect.pairwise(lambda orig_pred, pred, orig_conf, *rest, **more: slice_fn(orig_pred, orig_conf))
        return expect.wrap_slice(parts["expect_fn"], kept, parts["agg_fn"])
    return getattr(expect, expectation.form)(**parts)
