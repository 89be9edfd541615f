"""What users hold: `Suite` (texts to ask a model about), `Result` (what came out), `evaluate` and `load_model`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from fairness_checklist import suites
from fairness_checklist.checks import Check, Invariance, MinimumFunctionality
from fairness_checklist.errors import OptionError
from fairness_checklist.examples import ExampleSet
from fairness_checklist.metrics import METRICS, Metric, Options
from fairness_checklist.models.base import Classifier
from fairness_checklist.models.load import load_model
from fairness_checklist.models.store import predict_with_store
from fairness_checklist.predictions import Predictions
from fairness_checklist.results import Results
from fairness_checklist.run import DEFAULT_PRIMARY, RunOptions, evaluate_sets
from fairness_checklist.tables import read_table, split_table, to_table
from fairness_checklist.templates import Template
from fairness_checklist.terms import TermsMapping

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["Result", "Suite", "evaluate", "load_model"]

DEFAULT_CHECKS: tuple[Check, ...] = (Invariance(), MinimumFunctionality())


@dataclass(frozen=True)
class Suite:
    """Example sets for one task and one or several sensitive attributes.

    Attributes:
        parts: one for each attribute.

    >>> suite = Suite.from_templates(["I met {a:identity.writer}."], terms={"deaf": ["deaf"], "hearing": ["hearing"]})
    >>> suite.texts()
    ['I met a writer.', 'I met a deaf writer.', 'I met a hearing writer.']
    """

    parts: tuple[suites.Part, ...]

    @classmethod
    def build(
        cls,
        attribute: str | Sequence[str],
        *,
        task: str = "sentiment",
        groups: Sequence[str] | None = None,
        terms: str | Path | Sequence[str | Path] | TermsMapping | None = None,
        templates: str | Path | Template | Sequence[str | Path | Template] | None = None,
        include_terms: Sequence[str] = (),
        max_terms: int | None = None,
        term_set: str = "",
        lists: Mapping[str, Sequence[str]] | None = None,
    ) -> Suite:
        """The shipped templates x the shipped terms.

        Args:
            attribute: "gender", or several; "gender.czarnowska2021" names a set of terms of the attribute.
            task: "sentiment".
            groups: keep these groups.
            terms: keep these terms (names); or a folder, a CSV file or a mapping {group: terms} that extends ours.
            templates: keep these templates (ids, sets such as "generic", patterns with ``*``); or a folder, a CSV file
                or `Template` records that extend ours.
            include_terms: dispreferred terms to add, by name.
            max_terms: at most so many terms a group.
            term_set: a named set of terms, as in ``attribute="gender", term_set="czarnowska2021"``.
            lists: values for slots of your own, {"city": ["Leeds", "Turin"]}.

        Raises:
            InputError: an unknown attribute, group, term or template, a file that is wrong, or nothing left.

        >>> Suite.build("gender", groups=["women", "men"], templates=["generic"]).parts[0].attribute
        'gender'
        """
        names = [attribute] if isinstance(attribute, str) else list(attribute)
        if not names:
            raise OptionError("no attribute is named.", remedy='Name one: Suite.build("gender").')
        if len(set(names)) < len(names):
            raise OptionError(f"{', '.join(names)} names an attribute twice.", remedy="Name each once.")
        chosen_terms, more_terms = _names_or_files(terms)
        chosen_templates, more_templates = _names_or_files(templates)
        choice = suites.Choice(groups, chosen_terms, include_terms, max_terms, chosen_templates)
        if more_templates is None and isinstance(more_terms, list):
            more_templates = [path for path in more_terms if (path / "templates").is_dir()] or None
        return cls(
            tuple(
                suites.build_part(
                    f"{name}.{term_set}" if term_set else name,
                    task=task,
                    choice=choice,
                    more_terms=more_terms,
                    more_templates=more_templates,
                    lists=lists,
                )
                for name in names
            )
        )

    @classmethod
    def from_templates(
        cls,
        templates: str | Path | Template | Mapping[str, str] | Iterable[str | Template | Mapping[str, str]],
        terms: TermsMapping | str | Path,
        *,
        task: str = "sentiment",
        attribute: str = "",
        label: str = "",
        lists: Mapping[str, Sequence[str]] | None = None,
    ) -> Suite:
        """Templates and terms of one's own, in memory.

        Args:
            templates: sentences with slots, `Template` records, dictionaries of their columns, or a CSV file.
            terms: for each group its terms: strings, `IdentityTerm` or dictionaries of its fields; or a CSV file.
            task: "sentiment".
            attribute: what the sensitive attribute is called: by default the terms file's name, else "identity".
            label: the gold class of templates that bring none.
            lists: values for slots of one's own.

        Raises:
            InputError: a template or a term that is wrong, or nothing left.
        """
        listed = suites.term_list(attribute, terms)
        read = suites.as_templates(templates, task=task, attribute="", label=label)
        return cls((suites.make_part(read, listed, task=task, lists=lists),))

    @classmethod
    def load(cls, folder: str | Path) -> Suite:
        """Read a suite that `save` wrote."""
        return cls(suites.load_parts(folder))

    def save(self, folder: str | Path) -> Path:
        """Write the suite as text (templates, terms, lists); `load` gives the same texts."""
        return suites.save_parts(self.parts, folder)

    @property
    def task(self) -> str:
        return self.parts[0].task

    @property
    def attributes(self) -> tuple[str, ...]:
        return tuple(part.attribute for part in self.parts)

    @property
    def examples(self) -> dict[str, ExampleSet]:
        """The example set of each attribute."""
        return {part.attribute: part.examples for part in self.parts}

    @property
    def dropped(self) -> pd.DataFrame:
        """Templates that take no part: attribute, template, reason."""
        rows = [(part.attribute, one.template_id, one.reason) for part in self.parts for one in part.dropped]
        return pd.DataFrame(rows, columns=["attribute", "template", "reason"])

    def __len__(self) -> int:
        return sum(len(part.examples) for part in self.parts)

    def texts(self) -> list[str]:
        """All texts, in order."""
        return [text for part in self.parts for text in part.examples.render()]

    def table(self) -> pd.DataFrame:
        """The texts with source, group, term and label: a prediction table without predictions."""
        return pd.concat([to_table(part.examples) for part in self.parts], ignore_index=True)

    def __repr__(self) -> str:
        parts = "; ".join(
            f"{part.attribute}: {len(part.examples.sources)} sources x {len(part.terms)} terms of "
            f"{len(part.terms.groups)} groups, {len(part.examples):,} texts"
            for part in self.parts
        )
        return f"<Suite for {self.task}: {parts}>"

    def predict(
        self, model: Any, *, progress: bool = True, store: str | Path | None = None, **loading: Any
    ) -> list[Predictions]:
        """What a model says about each part's texts; every different text is asked about once.

        Args:
            model: whatever `load_model` takes, or a model it gave.
            progress: show a bar, where there is a terminal.
            store: a file that keeps predictions as they come, so that a run that died goes on.
            loading: options for `load_model`, such as ``labels=``.
        """
        return _predict(self, _as_model(model, self.task, loading), progress, store)

    def run(
        self,
        model: Any,
        *,
        metrics: Sequence[str | Metric] | None = None,
        primary: Sequence[str] = DEFAULT_PRIMARY,
        checks: Sequence[Check] = DEFAULT_CHECKS,
        options: Options | None = None,
        unlabelled: str = "keep",
        progress: bool = True,
        store: str | Path | None = None,
        **loading: Any,
    ) -> Result:
        """Ask a model about every text, and compute metrics and checks.

        Args:
            model: a folder, a hub id, "bundled", a function, or what `load_model` gave.
            metrics: ids or metrics of your own; all that apply by default.
            primary: up to four ids that carry the verdict.
            checks: the tests to run.
            options: how metrics are computed, see `metrics.Options`.
            unlabelled: "keep" leaves texts without a usable label in metrics that need none, "drop" does not.
            progress: show a bar, where there is a terminal.
            store: a file that keeps predictions as they come.
            loading: options for `load_model`, such as ``labels=``.
        """
        choices = _choices(metrics, primary, checks, options, unlabelled)
        loaded = _as_model(model, self.task, loading)
        said = _predict(self, loaded, progress, store)
        info = {
            "task": self.task,
            "model": loaded.describe(),
            "suite": [part.describe() for part in self.parts],
            "dropped": {
                part.attribute: [{"template": one.template_id, "reason": one.reason} for one in part.dropped]
                for part in self.parts
            },
        }
        answered = ((part.examples, predictions) for part, predictions in zip(self.parts, said, strict=True))
        return Result(evaluate_sets(answered, choices, info=info))

    def to_checklist(self, *, threshold: float = 0.1, classes: Sequence[str] | None = None) -> Any:
        """The suite as a `checklist.test_suite.TestSuite` of INV and MFT tests (needs the extra ``checklist``).

        Args:
            threshold: how far a probability may move, as in `Invariance`.
            classes: the classes of the model to be tested, in the order of its probabilities; the task's by default.
        """
        from fairness_checklist.interop.checklist import to_checklist

        return to_checklist([part.examples for part in self.parts], threshold=threshold, classes=classes)


def _names_or_files(given: Any) -> tuple[Sequence[str] | None, Any]:
    """Split a choice by name from files, folders, mappings and records that extend ours."""
    if given is None or isinstance(given, Mapping):
        return None, given
    entries = [given] if isinstance(given, (str, Path, Template)) else list(given)
    if entries and all(isinstance(entry, Template) for entry in entries):
        return None, entries
    files = [Path(str(entry)) for entry in entries if _is_file(entry)]
    if files and len(files) < len(entries):
        raise OptionError(
            f"{', '.join(map(str, entries))} mixes names and files.",
            remedy="Give either names to keep or files to add.",
        )
    return (None, files) if files else ([str(entry) for entry in entries], None)


def _is_file(entry: Any) -> bool:
    """Whether an entry is a path: a `Path`, the name of a CSV file, or a string that names what exists."""
    if isinstance(entry, Path) or str(entry).lower().endswith(".csv"):
        return True
    try:
        return Path(str(entry)).expanduser().exists()
    except (OSError, RuntimeError):  # longer than a path can be, or a home of nobody's
        return False


def _as_model(model: Any, task: str, loading: Mapping[str, Any]) -> Classifier:
    if all(hasattr(type(model), name) for name in ("predict", "describe", "classes")):
        if loading:
            raise OptionError(f"the model is loaded already: {', '.join(loading)} belong to load_model.")
        ready: Classifier = model
        return ready
    return load_model(model, task=task, **loading)


def _choices(
    metrics: Sequence[str | Metric] | None,
    primary: Sequence[str],
    checks: Sequence[Check],
    options: Options | None,
    unlabelled: str,
) -> RunOptions:
    """The choices of a run, if every name in them is known: a wrong one must not cost a pass of the model."""
    for metric in metrics or ():
        if isinstance(metric, str):
            METRICS[metric]
    if unlabelled not in ("keep", "drop"):
        raise OptionError(f"unlabelled={unlabelled!r} is not known.", remedy='Use "keep" (the default) or "drop".')
    return RunOptions(metrics, primary, checks, options or Options(), unlabelled)


def _predict(suite: Suite, model: Classifier, progress: bool, store: str | Path | None) -> list[Predictions]:
    """One pass over the texts of all parts, cut into the parts again."""
    together = predict_with_store(model, suite.texts(), store, progress=progress)
    cut, start = [], 0
    for part in suite.parts:
        cut.append(together.rows(start, start + len(part.examples)))
        start += len(part.examples)
    return cut


@dataclass(frozen=True, repr=False)
class Result:
    """What a run found: tables, and what they say in words and pictures.

    Attributes:
        results: the tables, see `Results`.
    """

    results: Results

    @property
    def metrics(self) -> pd.DataFrame:
        """One number a row; see `Results`."""
        return self.results.metrics

    @property
    def scores(self) -> pd.DataFrame:
        """Every base score by group, term and overall."""
        return self.results.scores

    @property
    def checks(self) -> pd.DataFrame:
        """One test a row."""
        return self.results.checks

    @property
    def checks_by_group(self) -> pd.DataFrame:
        """The tests by group, with the direction of the change."""
        return self.results.checks_by_group

    @property
    def examples(self) -> pd.DataFrame:
        """The texts with what the model said."""
        return self.results.examples

    @property
    def info(self) -> dict[str, Any]:
        """What `run.json` keeps."""
        return self.results.info

    def verdict(self) -> str:
        """The finding in words."""
        from fairness_checklist.reports.text import verdict

        return verdict(self.results)

    def explain(
        self, metric: str, group: str | None = None, *, label: str | None = None, attribute: str | None = None
    ) -> str:
        """One number in a sentence: what it compares, the rows behind it, where it comes from."""
        from fairness_checklist.reports.text import explain

        return explain(self.results, metric, group, label=label, attribute=attribute)

    def failures(self, attribute: str | None = None, *, threshold: float = 0.1) -> pd.DataFrame:
        """The pairs with the reference that fail the invariance test, the largest change first."""
        from fairness_checklist.reports.failures import failures

        return failures(self.results, attribute, threshold=threshold)

    def worst(self, attribute: str | None = None, n: int = 10) -> pd.DataFrame:
        """The source pairs that differ most, side by side."""
        from fairness_checklist.reports.findings import worst_pairs

        return worst_pairs(self.results, attribute or self.results.attributes[0], n)

    def heat_map(self, attribute: str | None = None, *, label: str | None = None) -> Figure:
        """Metrics by group as a matplotlib figure."""
        from fairness_checklist.reports.heatmap import heat_map

        return heat_map(self.results, attribute, label=label)

    def to_html(self, path: str | Path) -> Path:
        """Write the report, one self-contained file."""
        from fairness_checklist.reports.html import write

        return write(self.results, path)

    def save(self, folder: str | Path, *, text: bool = True) -> Path:
        """Write the run folder: tables, heat map and report."""
        from fairness_checklist.reports.folder import save_run

        return save_run(self.results, folder, text=text)

    @classmethod
    def load(cls, folder: str | Path) -> Result:
        """Read a run folder."""
        return cls(Results.load(folder))

    def __str__(self) -> str:
        from fairness_checklist.reports.text import tables

        return f"{self.verdict()}\n\n{tables(self.results)}"

    def __repr__(self) -> str:
        return f"<Result: {', '.join(self.results.attributes)}; {len(self.metrics):,} values>"

    def _repr_html_(self) -> str:
        from fairness_checklist.reports.html import notebook_view

        return notebook_view(self.results)


def evaluate(
    table: pd.DataFrame | str | Path,
    *,
    task: str = "sentiment",
    attribute: str = "group",
    classes: Sequence[str] = (),
    metrics: Sequence[str | Metric] | None = None,
    primary: Sequence[str] = DEFAULT_PRIMARY,
    checks: Sequence[Check] = DEFAULT_CHECKS,
    options: Options | None = None,
    unlabelled: str = "keep",
) -> Result:
    """Metrics and checks from predictions that are there already; no model is needed.

    Args:
        table: a prediction table, or the path of a CSV or Parquet file.
        task: whose classes the labels are.
        attribute: the attribute's name where the table has no column ``attribute``.
        classes: the classes in order, where the table's own order is not the one meant.
        metrics, primary, checks, options, unlabelled: as in `Suite.run`.

    Raises:
        TableError: the table is wrong; see `tables.split_table`.

    >>> frame = pd.DataFrame({"group": ["a", "a", "b", "b"], "label": ["no", "yes"] * 2,
    ...                       "predicted": ["no", "yes", "no", "no"]})
    >>> evaluate(frame, metrics=["tpr_gap"]).metrics[["class", "left", "right", "value"]].values.tolist()
    [['no', '*', '', 0.0], ['no', 'a', 'b', 0.0], ['yes', '*', '', 1.0], ['yes', 'a', 'b', 1.0]]
    """
    frame = table if isinstance(table, pd.DataFrame) else read_table(table)
    name = "a table in memory" if isinstance(table, pd.DataFrame) else Path(table).name
    choices = _choices(metrics, primary, checks, options, unlabelled)
    sets = split_table(frame, task=task, attribute=attribute, classes=classes)
    return Result(evaluate_sets(sets, choices, info={"task": task, "model": {"name": name}}))
