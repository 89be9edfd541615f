"""`perturb --kind scrub`: texts without identity words, and a model's gaps before and after."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fairness_checklist.cli.answers import Answer
from fairness_checklist.extensions.lenses.verb import check_groups

if TYPE_CHECKING:
    import pandas as pd

    from fairness_checklist.extensions.rewriting.scrub_gaps import ScrubGaps


def scrub_texts(
    texts: Path,
    attribute: Sequence[str],
    *,
    names: str,
    groups: Sequence[str],
    model: str,
    task: str,
    labels: Mapping[str, str] | None,
    show: int,
) -> Answer:
    """The table with scrubbed texts; with a model, its answers and its gaps before and after.

    Raises:
        OptionError: no attribute or several, or groups that are not two.
        TableError: no column text; with a model no label or group; no column of names.
    """
    from fairness_checklist.core.errors import OptionError, TableError, first_ten
    from fairness_checklist.core.formatting import join_names
    from fairness_checklist.extensions.rewriting.perturb.scrubbing import scrub
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
    if names:
        made = [
            scrub([text], attribute[0], names=[str(own)] if str(own) not in ("", "nan") else [])
            for text, own in zip(frame["text"], frame[names], strict=True)
        ]
        after, removed = [one.texts[0] for one in made], [one.removed[0] for one in made]
    else:
        found = scrub(frame["text"].tolist(), attribute[0])
        after, removed = list(found.texts), list(found.removed)
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
            *(one.statement for one in findings),
        ],
        findings,
        {"scrubbed": table, **shown},
        {"changed": changed, "texts": len(frame)} | ({} if gaps is None else {"n": gaps.n, **shown}),
        shown=shown,
    )


def _with_answers(
    table: pd.DataFrame, model: str, task: str, labels: Mapping[str, str], groups: Sequence[str]
) -> tuple[pd.DataFrame, ScrubGaps]:
    from fairness_checklist.core.errors import OptionError
    from fairness_checklist.extensions.rewriting.scrub_gaps import scrub_gaps
    from fairness_checklist.models.load import load_model

    if len(groups) not in (0, 2):
        raise OptionError(f"--groups names {len(groups)} groups.", remedy="Name two: --groups F,M.")
    check_groups(groups, table)
    loaded: Any = load_model(model, task=task)
    if task == "ner":
        raise OptionError("the model is a tagger.", remedy="Give a classifier: its answer is one class.")
    answers = []
    for column in ("text", "text_scrubbed"):
        predictions = loaded.predict(table[column].tolist(), progress=True)
        answers.append([predictions.classes[at] for at in predictions.predicted])
    table = table.assign(predicted=answers[0], predicted_scrubbed=answers[1])
    left, right = groups or ("", "")
    group = table["group"].astype(str).tolist()
    label = [labels.get(one, one) for one in table["label"].astype(str)]
    return table, scrub_gaps(label, group, answers[0], answers[1], left=left, right=right)
