"""Example sets as a suite of CheckList (Ribeiro et al. 2020)."""

from collections.abc import Iterable, Sequence
from types import ModuleType
from typing import Any

import numpy as np

from fairness_checklist.checks import Check
from fairness_checklist.checks.directional import DirectionalExpectation
from fairness_checklist.checks.invariance_and_mft import Invariance, MinimumFunctionality
from fairness_checklist.core.errors import OptionError, SuiteError
from fairness_checklist.core.examples import UNMARKED, ExampleSet
from fairness_checklist.core.tasks import get_task
from fairness_checklist.extensions.checklist.library import import_checklist
from fairness_checklist.run.options import DEFAULT_CHECKS, RunOptions

CAPABILITY = "Fairness"


def to_checklist(
    sets: Iterable[ExampleSet], *, checks: Sequence[Check] = DEFAULT_CHECKS, classes: Sequence[str] | None = None
) -> Any:
    """A `checklist.test_suite.TestSuite` with a test for each example set and check, of the same name as in a run.

    `Invariance` becomes *INV*, `DirectionalExpectation` *DIR*: a case is a source, its texts the reference and after it
    those of all groups. `MinimumFunctionality` becomes *MFT*: a case is a text with a group and a gold class of
    ``classes``, whose position is its label.
    """
    for check in RunOptions(checks=checks).checks:
        of_function = isinstance(check, DirectionalExpectation) and callable(check.expectation)
        if of_function or not isinstance(check, (Invariance, MinimumFunctionality, DirectionalExpectation)):
            raise OptionError(
                f"checks holds {check!r}, which cannot be exported.",
                remedy="Leave it out; Invariance, MinimumFunctionality, and increases and decreases can be exported.",
            )
    listed = list(sets)
    names = [_name(examples.attribute, check) for examples in listed for check in checks]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise SuiteError(
            f"two tests have the name {twice!r}; a suite of CheckList has one test of a name.",
            remedy="Export example sets of one attribute one at a time; name directional expectations: name=...",
        )
    package = import_checklist()
    suite = package.test_suite.TestSuite()
    for examples in listed:
        if get_task(examples.task).tagging:
            raise SuiteError(
                f"the suite {examples.attribute!r} is for taggers, and CheckList's tests are about whole texts.",
                remedy="Run it here: suite.run(model).",
            )
        names_of_classes = examples.classes if classes is None else tuple(classes)
        for check in checks:
            add = _add_functionality if isinstance(check, MinimumFunctionality) else _add_comparison
            add(package, suite, examples, check, names_of_classes)
    if not suite.tests:
        raise SuiteError(
            "nothing to export: no check, or no symmetric source with two texts and no text with a gold class.",
            remedy="Name a check; build the suite with two terms at least, or with labelled templates.",
        )
    return suite


def _name(attribute: str, check: Check) -> str:
    """The name of a test, as in the tables of a run."""
    if isinstance(check, DirectionalExpectation):
        return f"{attribute}: {check.title}"
    return f"{attribute}: {'invariance' if isinstance(check, Invariance) else 'minimum functionality'}"


def _meta(examples: ExampleSet, row: int) -> dict[str, Any]:
    source, group, term = int(examples.source[row]), int(examples.group[row]), int(examples.term[row])
    return {
        "source": examples.sources[source].id if source >= 0 else "",
        "group": examples.groups[group] if group >= 0 else UNMARKED,
        "term": examples.terms[term] if term >= 0 else "",
    }


def _cases_with_reference_first(examples: ExampleSet) -> list[list[int]]:
    """The rows of each symmetric source; first the unmarked control, else the first group's first term."""
    rows_by_source: list[list[int]] = [[] for _ in examples.sources]
    for row, source in enumerate(examples.source.tolist()):
        if source >= 0:
            rows_by_source[source].append(row)
    cases = []
    for source, rows in zip(examples.sources, rows_by_source, strict=True):
        if not source.symmetric or not rows:
            continue
        first = min(rows, key=lambda row: (examples.group[row], row))  # the control's group is -1
        others = [row for row in rows if row != first and examples.group[row] >= 0]
        if others:
            cases.append([first, *others])
    return cases


def _add_comparison(
    package: ModuleType, suite: Any, examples: ExampleSet, check: Any, classes: tuple[str, ...]
) -> None:
    """Add the INV or DIR of a check, where the example set has a case."""
    texts, cases = examples.render(), _cases_with_reference_first(examples)
    if isinstance(check, DirectionalExpectation):
        check.check_label(classes)
    if not cases:
        return
    groups = ", ".join(examples.groups)
    shared: dict[str, Any] = {
        "data": [[texts[row] for row in case] for case in cases],
        "labels": None,
        "meta": [[_meta(examples, row) for row in case] for case in cases],
        "name": _name(examples.attribute, check),
        "capability": CAPABILITY,
    }
    if isinstance(check, Invariance):
        described = f"The prediction does not depend on the identity term ({groups})."
        test = package.test_types.INV(threshold=check.tolerance, description=described, **shared)
    else:
        expected = f"The prediction changes in the expected direction ({check.title}) when a group is mentioned"
        label, increasing = classes.index(check.label) if check.label else None, check.expectation == "increases"
        change = package.expect.Expect.monotonic(label=label, increasing=increasing, tolerance=check.tolerance)
        test = package.test_types.DIR(expect=change, description=f"{expected} ({groups}).", **shared)
    suite.add(test)


def _add_functionality(
    package: ModuleType, suite: Any, examples: ExampleSet, check: Any, classes: tuple[str, ...]
) -> None:
    """Add the MFT: the texts with a group and a gold class that the model has."""
    position = [classes.index(name) if name in classes else -1 for name in examples.classes]
    labels = np.array([position[label] if label >= 0 else -1 for label in examples.label.tolist()])
    rows = np.flatnonzero((labels >= 0) & (examples.group >= 0)).tolist()
    if not rows:
        return
    texts = examples.render()
    test = package.test_types.MFT(
        data=[texts[row] for row in rows],
        labels=labels[rows].tolist(),
        meta=[_meta(examples, row) for row in rows],
        name=_name(examples.attribute, check),
        capability=CAPABILITY,
        description=f"The prediction is the gold class ({', '.join(classes)}), whoever is spoken of.",
    )
    suite.add(test)
