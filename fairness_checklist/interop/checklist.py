"""Example sets as a suite of CheckList (Ribeiro et al. 2020): real `INV` and `MFT` tests.

CheckList is the extra ``checklist``; nothing outside this module imports it.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from fairness_checklist.core.errors import MissingExtraError, SuiteError
from fairness_checklist.core.option_defaults import TOLERANCE, number
from fairness_checklist.core.tasks import get_task

if TYPE_CHECKING:
    from fairness_checklist.core.examples import ExampleSet
from fairness_checklist.core.examples import UNMARKED

CAPABILITY = "Fairness"

_REMEDY = """\
Install the extra, the tools that CheckList's own set-up requires first:
pip install "notebook<7" "setuptools<82" wheel
pip install --no-build-isolation "fairness-checklist[checklist]" "setuptools<82\""""


def import_checklist() -> ModuleType:
    """The package ``checklist`` with its test types, suites, expectations and predictor wrapper loaded.

    CheckList 0.0.11 imports a name that IPython 9 has moved; while it is being imported the name is available at
    the old place, and afterwards IPython is as it was.

    Returns:
        The module ``checklist``; ``checklist.test_suite``, ``.test_types``, ``.expect`` and ``.pred_wrapper`` are its
        attributes. ``import checklist.editor`` works after this call.

    Raises:
        MissingExtraError: CheckList is not installed, or its installation does not work.

    >>> import_checklist().test_types.INV.__name__
    'INV'
    """
    try:
        with warnings.catch_warnings(), _patched_ipython():
            warnings.simplefilter("ignore")
            import checklist
            import checklist.expect
            import checklist.pred_wrapper
            import checklist.test_suite
            import checklist.test_types
            import checklist.viewer.template_editor
    except ModuleNotFoundError as error:
        what = "is not installed" if error.name == "checklist" else f"cannot be imported ({error})"
        raise MissingExtraError(f"CheckList {what}.", remedy=_REMEDY) from error
    module: ModuleType = checklist
    return module


@contextmanager
def _patched_ipython() -> Iterator[None]:
    """Let ``from IPython.core.display import display`` work inside the block, whatever the version of IPython."""
    try:
        old: Any = import_module("IPython.core.display")
        display = import_module("IPython.display").display
    except ModuleNotFoundError:  # CheckList needs IPython; its own import error follows
        yield
        return
    if hasattr(old, "display"):
        yield
        return
    old.display = display
    try:
        yield
    finally:
        del old.display


def invariance_name(attribute: str) -> str:
    """The name of the invariance test of an attribute.

    >>> invariance_name("gender")
    'gender: invariance'
    """
    return f"{attribute}: invariance"


def functionality_name(attribute: str) -> str:
    """The name of the minimum functionality test of an attribute.

    >>> functionality_name("gender")
    'gender: minimum functionality'
    """
    return f"{attribute}: minimum functionality"


def to_checklist(
    sets: Sequence[ExampleSet], *, tolerance: float = TOLERANCE, classes: Sequence[str] | None = None
) -> Any:
    """A `checklist.test_suite.TestSuite` with an INV and an MFT test for each example set.

    *INV*: a case is a source: the texts of all its rows, the reference first (the unmarked control, else the first
    term of the first group). A text passes where the decision is the reference's, whatever the confidence, else where
    the probability of the reference's decision moves by at most ``tolerance``; a case passes where all its texts do.
    Sources that are not symmetric, and sources with a single row, are left out.

    *MFT*: a case is a text that mentions a group and has a gold class; it passes where the decision is that class.

    Weights have no counterpart in CheckList and are left out. Run it with
    ``suite.run(PredictorWrapper.wrap_softmax(f))``, where f gives an (n, C) array over ``classes``.

    Args:
        sets: example sets, each of an attribute of its own.
        tolerance: in [0, 1], the largest change of a probability that passes.
        classes: the C classes that the tested model can predict, in the order of its probabilities; by default those
            of the example sets. Texts of another gold class (neutral, for a model of two classes) take no part in MFT.

    Returns:
        The suite. Each text has as meta a dict with ``source``, ``group`` (``"unmarked"`` for the control) and
        ``term``; MFT labels are positions in ``classes``.

    Raises:
        SuiteError: the same attribute twice, or nothing to test.
        OptionError: a tolerance outside [0, 1].
        MissingExtraError: CheckList is not installed.

    >>> from fairness_checklist.core.examples import ExampleSet, ListedTexts, Source
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
    _check_exportable(sets, tolerance)
    package = import_checklist()
    suite = package.test_suite.TestSuite()
    for examples in sets:
        texts = examples.render()
        test = _invariance(package, examples, texts, tolerance)
        if test is not None:
            suite.add(test)
        test = _functionality(package, examples, texts, tuple(classes or examples.classes))
        if test is not None:
            suite.add(test)
    if not suite.tests:
        raise SuiteError(
            "nothing to export: no symmetric source with two texts, and no text with a gold class.",
            remedy="Build the suite with two terms at least, or with labelled templates.",
        )
    return suite


def _check_exportable(sets: Sequence[ExampleSet], tolerance: float) -> None:
    """Raise `OptionError` or `SuiteError` where CheckList has nothing like these sets."""
    number("tolerance", tolerance)
    for examples in sets:
        if get_task(examples.task).tagging:
            raise SuiteError(
                f"a suite of the task {examples.task} has no counterpart in CheckList: "
                "its tests decide about whole texts.",
                remedy="Export a suite of sentiment or toxicity.",
            )
    names = [examples.attribute for examples in sets]
    for position, name in enumerate(names):
        if name in names[:position]:
            raise SuiteError(
                f"the attribute {name!r} appears twice; a suite of CheckList has one test of a name.",
                remedy="Export the example sets one at a time.",
            )


def cases_with_reference_first(examples: ExampleSet) -> list[list[int]]:
    """The rows of each source of the invariance test, the reference first.

    Returns:
        One list of row numbers for each symmetric source with two rows at least, in the order of the sources: the
        unmarked control first, else the first term of the first group, then the others in their order.
    """
    rows_of: list[list[int]] = [[] for _ in examples.sources]
    for row, source in enumerate(examples.source.tolist()):
        if source >= 0:
            rows_of[source].append(row)
    cases = []
    for source, rows in zip(examples.sources, rows_of, strict=True):
        if source.symmetric and len(rows) > 1:
            first = min(rows, key=lambda row: (examples.group[row], row))  # the control's group is -1
            cases.append([first, *(row for row in rows if row != first)])
    return cases


def _invariance(package: ModuleType, examples: ExampleSet, texts: list[str], tolerance: float) -> Any:
    cases = cases_with_reference_first(examples)
    if not cases:
        return None
    return package.test_types.INV(
        data=[[texts[row] for row in case] for case in cases],
        threshold=tolerance,
        labels=None,
        meta=[[_meta(examples, row) for row in case] for case in cases],
        name=invariance_name(examples.attribute),
        capability=CAPABILITY,
        description=f"The prediction does not depend on the identity term ({', '.join(examples.groups)}).",
    )


def _functionality(package: ModuleType, examples: ExampleSet, texts: list[str], classes: tuple[str, ...]) -> Any:
    position = [classes.index(name) if name in classes else -1 for name in examples.classes]
    gold = [position[label] if label >= 0 else -1 for label in examples.label.tolist()]
    rows = np.flatnonzero((np.asarray(gold) >= 0) & (examples.group >= 0)).tolist()
    if not rows:
        return None
    return package.test_types.MFT(
        data=[texts[row] for row in rows],
        labels=[gold[row] for row in rows],
        meta=[_meta(examples, row) for row in rows],
        name=functionality_name(examples.attribute),
        capability=CAPABILITY,
        description=f"The prediction is the gold class ({', '.join(classes)}), whoever is spoken of.",
    )


def _meta(examples: ExampleSet, row: int) -> dict[str, str]:
    source, group, term = int(examples.source[row]), int(examples.group[row]), int(examples.term[row])
    return {
        "source": examples.sources[source].id if source >= 0 else "",
        "group": examples.groups[group] if group >= 0 else UNMARKED,
        "term": examples.terms[term] if term >= 0 else "",
    }
