"""The verb perturb: texts with other identities, or without identity words and a model's gaps before and after."""

from __future__ import annotations

import dataclasses
import tempfile
from collections.abc import Iterator, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fairness_checklist.cli import arguments
from fairness_checklist.cli.answers import LINES, Answer, answering
from fairness_checklist.cli.help_sections import MODEL, TESTED, option
from fairness_checklist.core import option_defaults as default
from fairness_checklist.core.errors import OptionError, TableError, first_ten
from fairness_checklist.core.formatting import join_names

if TYPE_CHECKING:
    import pandas as pd

    from fairness_checklist.api.suite import Suite
    from fairness_checklist.extensions.rewriting.scrubbing import ScrubGaps

_SHOWN = 5  # texts, by default
_IN_MEMORY = 32 << 20  # bytes of a table that is read whole
_BATCH = 5_000


class PerturbKind(StrEnum):
    """What `perturb` writes."""

    counterfactual = "counterfactual"
    scrub = "scrub"


@answering
def perturb(
    texts: Annotated[
        Path, typer.Argument(help="Table with the column text, and optionally label and id: .csv, .parquet or .jsonl.")
    ],
    attribute: arguments.Attributes,
    terms: arguments.TermOptions,
    task: arguments.TaskName = default.TASK,
    labels: arguments.TableLabels = None,
    show: Annotated[int, option("", "Number of texts to print, each as it is rewritten.")] = _SHOWN,
    kind: Annotated[
        PerturbKind, option(TESTED, "counterfactual: with other terms; scrub: without identity words.")
    ] = PerturbKind.counterfactual,
    names_column: Annotated[
        str, option(TESTED, "With --kind scrub: column with a name to remove from each text.")
    ] = "",
    model: Annotated[
        str,
        option(
            MODEL,
            "With --kind scrub: a classifier whose gaps before and after are printed: see `run --help`.",
            "--model",
            "-m",
        ),
    ] = "",
    workers: arguments.BatchWorkers = 1,
    engine: arguments.BatchEngine = "local",
) -> Answer:
    """Write counterfactuals of your texts, by replacing identity terms; or the texts without identity words.

    A term is replaced where the context allows it; the other texts are listed with the reason.

    Example: fairness-checklist perturb reviews.csv --attribute gender --groups women,men --out perturbed

    Example, without words of gender: fairness-checklist perturb reviews.csv --attribute gender --kind scrub
    --model bundled/sentiment-2 --out scrubbed
    """
    from fairness_checklist.api.suite import Suite

    names, mapping = arguments.split_commas(attribute) or [], arguments.read_labels(labels)
    lines = LINES + 2 * max(show - _SHOWN, 0)
    if kind is PerturbKind.scrub:
        groups = arguments.split_commas(terms.groups) or []
        answer = _scrub(texts, names, names_column, groups=groups, model=model, task=task, labels=mapping, show=show)
        return dataclasses.replace(answer, lines=lines)
    if model or names_column:
        raise OptionError(f"--{'model' if model else 'names-column'} needs --kind scrub.", remedy="Add --kind scrub.")
    if texts.is_dir() or (texts.is_file() and texts.stat().st_size > _IN_MEMORY):
        return dataclasses.replace(_in_batches(texts, names, task, mapping, terms, workers, engine), lines=lines)
    built = Suite.from_texts(texts, names, labels=mapping, task=task, **terms.keywords())
    left_out, skipped = built.dropped.rename(columns={"template": "id"}), built.skipped
    reasons = {"texts left out": _reasons(left_out), "terms that a text was not rewritten for": _reasons(skipped)}
    return Answer(
        [
            repr(built)[1:-1],
            *_counterfactuals(built, show),
            *(_first_reason(what, counts) for what, counts in reasons.items() if len(counts)),
        ],
        tables={"texts": built.to_frame(), "left_out": left_out, "not_made": skipped},
        record={name.replace(" ", "_"): counts for name, counts in reasons.items()},
        shown=reasons,
        lines=lines,
    )


@dataclasses.dataclass(frozen=True, eq=False)
class _Rewritten:
    """Rewrites the texts of a table for each attribute; a process of its own can do it."""

    names: Sequence[str]
    labels: dict[str, str] | None
    options: dict[str, Any]

    def __call__(self, frame: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
        import pandas as pd

        from fairness_checklist.api.suite import Suite
        from fairness_checklist.extensions.rewriting.suite_from_texts import made_part, read_texts

        lines = read_texts(frame, self.labels, task=self.options["task"])
        pieces = []
        for name in self.names:
            part, made = made_part(lines, name, **self.options)
            dropped = [(name, one.template_id, one.reason) for one in made.dropped]
            skipped = [(name, one.source, one.group, one.term, one.reason) for one in made.skipped]
            pieces += [
                ("texts", Suite((part,)).to_frame() if part else pd.DataFrame()),
                ("left_out", pd.DataFrame(dropped, columns=["attribute", "id", "reason"])),
                ("not_made", pd.DataFrame(skipped, columns=["attribute", "id", "group", "term", "reason"])),
            ]
        return pieces


def _in_batches(
    path: Path, names: Sequence[str], task: str, labels: dict[str, str] | None, terms: arguments.TermOptions,
    workers: int, engine: str,
) -> Answer:  # fmt: skip
    """The counterfactuals of a large table or a folder of tables, some texts at a time; written, none is printed."""
    from fairness_checklist.extensions.engines.batches import over_batches
    from fairness_checklist.suites import names_or_files
    from fairness_checklist.tables.streams import read_batches

    chosen = terms.keywords()
    own_terms, more_terms = names_or_files(chosen.pop("terms"))
    scratch = Path(tempfile.mkdtemp(prefix="fairness-checklist-"))
    files = {name: scratch / f"{name}.csv" for name in ("texts", "left_out", "not_made")}
    totals, start = dict.fromkeys(files, 0), 0

    def numbered() -> Iterator[pd.DataFrame]:
        nonlocal start
        for frame in read_batches(path, ["text"], optional=["label", "id"], size=_BATCH):
            rows = range(start + 1, start + len(frame) + 1)
            start += len(frame)
            yield frame if "id" in frame.columns else frame.assign(id=[str(at) for at in rows])

    options = {"task": task, "terms": own_terms, "more_terms": more_terms, **chosen}
    for _, pieces in over_batches(_Rewritten(names, labels, options), numbered(), workers=workers, engine=engine):
        for name, piece in pieces:
            if len(piece):
                piece.to_csv(files[name], mode="a", index=False, header=not totals[name], lineterminator="\n")
                totals[name] += len(piece)
    written = {name: file for name, file in files.items() if totals[name]}
    return Answer(
        [
            f"{start:,} texts read in batches: {totals['texts']:,} texts with their counterfactuals, "
            f"{totals['left_out']:,} left out, {totals['not_made']:,} terms that a text was not rewritten for. "
            "They are kept with --out.",
        ],
        tables=written,
        record={"texts": start, **totals},
    )


def _counterfactuals(built: Suite, number: int) -> list[str]:
    """The first texts of each attribute, each with its first counterfactual of another group."""
    lines = []
    for part in built.parts:
        examples = part.examples
        texts = examples.render()
        for source in range(min(number, len(examples.sources))):
            rows = [row for row in range(len(examples)) if examples.source[row] == source]
            other = next((row for row in rows if examples.group[row] >= 0 and texts[row] != texts[rows[0]]), rows[0])
            lines += [f"  {texts[rows[0]]}", f"    {examples.terms[examples.term[other]]}: {texts[other]}"]
    return lines


def _reasons(table: pd.DataFrame) -> pd.DataFrame:
    return table["reason"].value_counts(sort=True).rename("n").reset_index()[["n", "reason"]]


def _first_reason(what: str, counts: pd.DataFrame) -> str:
    n, first, reason = int(counts["n"].sum()), int(counts["n"].iloc[0]), counts["reason"].iloc[0]
    return f"{what[0].upper()}{what[1:]}: {n:,}" + (f", {first:,} of them: {reason}" if first < n else f": {reason}")


def _scrub(
    texts: Path,
    attribute: Sequence[str],
    names: str,
    *,
    groups: Sequence[str],
    model: str,
    task: str,
    labels: dict[str, str] | None,
    show: int,
) -> Answer:
    """The table with scrubbed texts; with a model, its answers and its gaps before and after."""
    from fairness_checklist.extensions.rewriting.scrubbing import scrub
    from fairness_checklist.tables.files import read_table

    if len(attribute) != 1:
        raise OptionError(f"--attribute names {len(attribute)} attributes.", remedy="Name one with --kind scrub.")
    frame = read_table(texts)
    needed = ["text", *([names] if names else []), *(["label", "group"] if model else [])]
    for name in needed:
        if name not in frame.columns:
            raise TableError(
                f"the table has no column {name}.", place=texts.name, remedy=f"It needs {join_names(needed)}."
            )
        if name != names and (empty := [at for at, no in enumerate(frame[name].isna(), start=1) if no]):
            rows = f"row {empty[0]} has" if len(empty) == 1 else f"rows {first_ten(empty)} have"
            raise TableError(f"{rows} no {name}.", place=texts.name, remedy="Fill it in, or leave such rows out.")
    if names:
        own = [[name] if name not in ("", "nan") else [] for name in frame[names].astype(str)]
        made = [scrub([text], attribute[0], names=name) for text, name in zip(frame["text"], own, strict=True)]
    else:
        made = [scrub(frame["text"].tolist(), attribute[0])]
    after = [text for part in made for text in part.texts]
    removed = [words for part in made for words in part.removed]
    table = frame.assign(text_scrubbed=after, removed=[" ".join(words) for words in removed])
    gaps = None
    if model:
        table, gaps = _with_answers(table, model, task, labels or {}, groups)
    changed = sum(bool(words) for words in removed)
    same = [at for at, words in enumerate(removed, start=1) if not words]
    unchanged = f" Unchanged: {'row' if len(same) == 1 else 'rows'} {first_ten(same)}." if same and changed else ""
    pairs = [pair for pair in zip(frame["text"], after, strict=True) if pair[0] != pair[1]][:show]
    findings = () if gaps is None else gaps.findings
    shown = {} if gaps is None else {"gaps": gaps.table}
    return Answer(
        [
            f"Words of {attribute[0]} removed from {changed:,} of {len(frame):,} texts.{unchanged}",
            *(f"  {text}\n    {other}" for text, other in pairs),
            *(finding.statement for finding in findings),
        ],
        findings,
        {"scrubbed": table, **shown},
        {"changed": changed, "texts": len(frame)} | ({} if gaps is None else {"n": gaps.n, **shown}),
        shown=shown,
    )


def _with_answers(
    table: pd.DataFrame, model: str, task: str, labels: dict[str, str], groups: Sequence[str]
) -> tuple[pd.DataFrame, ScrubGaps]:
    from fairness_checklist.cli.python_models import load_named
    from fairness_checklist.extensions.lenses.verb import check_groups
    from fairness_checklist.extensions.rewriting.scrubbing import scrub_gaps

    if len(groups) not in (0, 2):
        raise OptionError(f"--groups names {len(groups)} groups.", remedy="Name two: --groups F,M.")
    check_groups(groups, table)
    loaded: Any = load_named(model, task)
    if task == "ner":
        raise OptionError("the model is a tagger.", remedy="Give a classifier: its answer is one class.")
    answers = []
    for column in ("text", "text_scrubbed"):
        predictions = loaded.predict(table[column].tolist(), progress=True)
        answers.append([predictions.classes[at] for at in predictions.predicted])
    table = table.assign(predicted=answers[0], predicted_scrubbed=answers[1])
    left, right = groups or ("", "")
    group = table["group"].astype(str).tolist()
    label = [labels.get(name, name) for name in table["label"].astype(str)]
    return table, scrub_gaps(label, group, answers[0], answers[1], left=left, right=right)
