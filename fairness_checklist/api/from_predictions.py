"""`evaluate`: metrics and checks from predictions that are there already."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
from numpy.typing import ArrayLike

from fairness_checklist.api.result import Result
from fairness_checklist.api.scoring import resolved_threshold
from fairness_checklist.checks import Check
from fairness_checklist.content.term_files import load_terms
from fairness_checklist.content.term_forms import certain_lexemes, term_forms
from fairness_checklist.core.errors import OptionError, TableError, count, first_ten
from fairness_checklist.core.formatting import join_names
from fairness_checklist.core.keywords import checks_keywords
from fairness_checklist.core.lexemes import lexemes
from fairness_checklist.core.option_defaults import (
    GROUP_ATTRIBUTE,
    MIN_CELL,
    TASK,
    items,
    names,
    nfc,
    path,
    string,
    whole_number,
)
from fairness_checklist.core.progress import followed, stage
from fairness_checklist.core.tasks import get_task
from fairness_checklist.metrics.metric_forms import Metric, Options
from fairness_checklist.run.evaluation import evaluate_sets
from fairness_checklist.run.options import DEFAULT_CHECKS, Harms, RunOptions
from fairness_checklist.tables.class_names import check_classes, check_label_column, map_classes
from fairness_checklist.tables.columns import (
    grouped_by,
    name_column,
    read_available,
    split_controls,
    split_placebo,
    text_column,
)
from fairness_checklist.tables.files import read_table
from fairness_checklist.tables.from_arrays import SensitiveFeatures, table_of_arrays
from fairness_checklist.tables.notes import FULL, precision_of
from fairness_checklist.tables.token_cells import is_tagged
from fairness_checklist.tables.tokens import split_any

Mentions = str | Sequence[str] | Mapping[str, Sequence[str]]


def groups_of_mentions(
    frame: pd.DataFrame, mentions: Mentions, attribute: str
) -> tuple[pd.DataFrame, dict[str, list[str]]]:
    """A table with the groups whose terms its texts mention, as whole words in any case.

    Of terms that overlap the longest counts: "African American" mentions no "American".

    Returns:
        The rows whose text mentions terms of one group, with ``attribute``, ``group``, ``term`` (the first one) and,
        where the table has none and texts of several groups differ in the terms only, ``source``. And by attribute
        what was left out.

    >>> frame = pd.DataFrame({"text": ["I am gay", "I am deaf", "gay and deaf", "Hello"], "predicted": list("abab")})
    >>> made, left_out = groups_of_mentions(frame, ["gay", "deaf"], "identity")
    >>> made[["text", "group", "source"]].values.tolist(), left_out["identity"]
    ([['I am gay', 'gay', 'i am _'], ['I am deaf', 'deaf', 'i am _']],
     ['2 of 4 texts left out: no term in 1, terms of several groups in 1'])
    """
    if "text" not in frame.columns:
        raise TableError(
            "mentions= looks for terms in the column text, and the table has none.",
            remedy=f"Its columns: {first_ten(frame.columns)}.",
        )
    attribute = mentions if isinstance(mentions, str) else attribute
    owners = _owners(mentions)
    longest = sorted(owners, key=len, reverse=True)
    wanted = "|".join(r"\s+".join(map(re.escape, form.split())) for form in longest)
    pattern = re.compile(rf"(?<!\w)(?:{wanted})(?!\w)", re.IGNORECASE)
    rows, several, sources = [], 0, []
    for text in followed(text_column(frame, "text"), "terms in texts", "texts"):
        plain = nfc(text).replace("\u2019", "'")
        mentioned = [pair for match in pattern.finditer(plain) for pair in owners.get(_folded(match.group()), ())]
        single = len({group for group, _ in mentioned}) == 1
        several += bool(mentioned) and not single
        rows.append(mentioned[0] if single else ("", ""))
        sources.append(re.sub(r"\ban? _", "a _", pattern.sub("_", plain).casefold()))
    made = frame.assign(attribute=attribute, group=[group for group, _ in rows], term=[term for _, term in rows])
    kept = made["group"] != ""
    if made.loc[kept, "group"].nunique() < 2:
        there = first_ten(dict.fromkeys(made.loc[kept, "group"])) or "none"
        raise TableError(
            f"the texts mention terms of fewer than two groups of {attribute}: {there}.",
            remedy="Name other terms, or another attribute.",
        )
    if "source" not in made.columns:
        source = pd.Series(sources, index=made.index)[kept]
        if made.loc[kept, "group"].groupby(source).nunique().max() > 1:
            made["source"] = source
    gone = len(made) - int(kept.sum())
    left_out = (
        f"{gone:,} of {count(len(made), 'text')} left out: no term in {gone - several:,}, terms of several groups in "
        f"{several:,}"
    )
    return made[kept].reset_index(drop=True), {attribute: [left_out] if gone else []}


def _owners(mentions: Mentions) -> dict[str, list[tuple[str, str]]]:
    """The groups and terms that each form in small letters belongs to."""
    listed: list[tuple[str, str, str]] = []
    if isinstance(mentions, str):
        known = load_terms(mentions)
        for group in known.groups:
            used = [term for term in known.of_group(group) if term.status != "dispreferred"]
            for term, forms in term_forms(used).items():
                listed += [(form, group, term) for form in (term, *forms)]
    elif isinstance(mentions, Mapping):
        listed = [(term, str(group), term) for group, own in mentions.items() for term in names("mentions", own)]
    else:
        listed = [(term, term, term) for term in names("mentions", mentions)]
    owners: dict[str, list[tuple[str, str]]] = {}
    for form, group, term in listed:
        owners.setdefault(_folded(form), []).append((group, term))
    if not owners:
        raise OptionError("mentions= names no terms.", remedy='Write mentions="religion", or mentions=["gay", "deaf"].')
    return owners


def _folded(form: str) -> str:
    return " ".join(nfc(form).casefold().replace("\u2019", "'").split())


_NO_PLACEBO = (
    "the table has no rows of placebo words, which predict writes: findings are compared with chance only, and may "
    "have another status than those of run"
)


@checks_keywords
def evaluate(
    table: pd.DataFrame | str | Path | ArrayLike | None = None,
    y_pred: ArrayLike | None = None,
    *,
    y_true: ArrayLike | None = None,
    y_prob: ArrayLike | pd.DataFrame | None = None,
    sensitive_features: SensitiveFeatures | None = None,
    sample_weight: ArrayLike | None = None,
    task: str = TASK,
    attribute: str = GROUP_ATTRIBUTE,
    classes: Sequence[Any] = (),
    metrics: Sequence[str | Metric] | None = None,
    primary: Sequence[str] | None = None,
    checks: Sequence[Check] = DEFAULT_CHECKS,
    options: Options | None = None,
    unlabelled: str = RunOptions.unlabelled,
    threshold: float | str | Mapping[str, float] | None = None,
    threshold_on: pd.DataFrame | str | Path | None = None,
    draws: int = RunOptions.draws,
    adjust: str = RunOptions.adjust,
    harm: Harms = None,
    uncertainty: str = RunOptions.uncertainty,
    relevant: float | None = None,
    labels: Mapping[str, str] | None = None,
    group_columns: Sequence[str] = (),
    min_cell: int = MIN_CELL,
    mentions: Mentions | None = None,
) -> Result:
    """Metrics and checks from predictions that are there already; no model is needed.

    Called as ``evaluate(table)``, or as ``evaluate(y_true, y_pred, sensitive_features=...)`` with arrays, lists or
    pandas objects of n rows, as in scikit-learn and fairlearn.

    Args:
        table: a prediction table, or the path of a CSV, Parquet or (of a tagger) JSON lines file; or y_true.
        y_pred: (n,) predicted classes, strings or numbers; by default the most probable class of ``y_prob``.
        y_true: (n,) gold classes; None, or a missing value, where there is none.
        y_prob: probabilities: (n,) of the second of two classes, (n, C) of all in the order of ``classes``, or
            a DataFrame whose columns are the classes.
        sensitive_features: (n,) groups; or several columns, a DataFrame, a mapping from names or an array (n, k), each
            of which is an attribute. Rows without a group take no part in the attribute, and the notes count them.
        sample_weight: (n,) weights, 0 or more.
        task: the task, which defines the classes.
        attribute: the attribute's name where the table has no column ``attribute``, or the feature no name.
        classes: the C classes in order, where the table's own order is not the one meant; of ``y_prob`` its columns.
        metrics, primary, checks, options, unlabelled, threshold, draws, adjust, harm, uncertainty, relevant: as in
            `Suite.run`.
        threshold_on: as in `Suite.run`; a table for "eer" holds ``p:<class>``.
        labels: the task's class for a label of the table, {"0": "nontoxic", "1": "toxic"}; of a tagger's table the
            suite's type for a type of the tagger's, {"GPE": "LOC"}. Needed where the labels are numbers and
            ``classes`` is not given; of arrays not where ``metrics`` or ``harm`` is given.
        group_columns: the columns of the table, or the sensitive features, whose values are the groups: one, or two, of
            which the pairs are groups as well; in place of the column ``group``.
        min_cell: groups of such columns with fewer rows are left out, and the notes name them.
        mentions: in place of a column ``group``: the groups whose terms the column ``text`` mentions. The name of an
            attribute; or terms, each of which is a group; or a mapping from groups to terms. Texts that mention no
            term, or terms of several groups, are left out, and the notes count them.

    Raises:
        LabelError: the labels of a table are numbers, or those of another task; or ``labels`` names what is not there.
        TableError: the table is wrong, see `tables.texts.split_table`; or instead of ``label`` it has a column such as
            ``labels`` or ``y_true``; or its predictions are of different precisions.
        AlignmentError: arrays of different lengths, or pandas objects whose indexes differ.
        PredictionError, OptionError: arrays or ``classes`` that are wrong; see `tables.from_arrays.table_of_arrays`.

    >>> frame = pd.DataFrame({"group": ["a", "a", "b", "b"], "label": ["no", "yes"] * 2,
    ...                       "predicted": ["no", "yes", "no", "no"]})
    >>> evaluate(frame, metrics=["tpr_gap"]).metrics[["class", "left", "right", "value"]].values.tolist()
    [['no', '*', '', 0.0], ['no', 'a', 'b', 0.0], ['yes', '*', '', 1.0], ['yes', 'a', 'b', 1.0]]
    >>> found = evaluate([0, 1, 0, 1], [0, 1, 0, 0], sensitive_features=["a", "a", "b", "b"], metrics=["tpr_gap"])
    >>> found.metrics[["class", "left", "right", "value"]].values.tolist()[-1]
    ['1', 'a', 'b', 1.0]
    """
    known = get_task(task)
    whole_number("min_cell", min_cell)
    given_columns = items("group_columns", group_columns, (str, int), "names of columns", empty=True)
    columns: list[Any] = [nfc(name) if isinstance(name, str) else name for name in given_columns]
    if labels is not None and not isinstance(labels, Mapping):
        raise OptionError(f"labels={labels!r} is not a mapping.", remedy='Write labels={"GPE": "LOC"}.')
    if mentions is not None and (columns or sensitive_features is not None):
        raise OptionError(
            "the groups are given twice, by mentions= and by columns or sensitive_features=.",
            remedy="Give one of them.",
        )
    named = {nfc(str(own)): nfc(str(name)) for own, name in (labels or {}).items()}
    attribute = string("attribute", attribute, empty=False)
    choices = RunOptions.of_arguments(locals())
    remarks: dict[str, list[str]] = {}
    given_classes = not (isinstance(classes, Sequence) and not classes)
    if sensitive_features is None:
        given = _checked_table(table, y_true=y_true, y_pred=y_pred, y_prob=y_prob, sample_weight=sample_weight)
        classes = names("classes", classes, empty=True)
        name = "a table in memory" if isinstance(given, pd.DataFrame) else Path(given).name
    else:
        name = "arrays in memory"
        given, classes, remarks = table_of_arrays(
            _gold(table, y_true),
            y_pred,
            y_prob=y_prob,
            sensitive_features=sensitive_features,
            sample_weight=sample_weight,
            classes=classes,
            task=task,
            attribute=attribute,
            group_columns=columns,
            min_cell=min_cell,
        )
        columns = []
    with stage("reading the table"):
        frame, controls = split_controls(given if isinstance(given, pd.DataFrame) else read_table(path("table", given)))
    tagged = is_tagged(frame)
    if not tagged:
        if sensitive_features is None:
            check_label_column(frame.columns, columns)
        metrics_alone = sensitive_features is not None and (metrics is not None or harm is not None)
        if labels and not known.tagging:
            frame, labels = map_classes(frame, labels, task), None
            controls = map_classes(controls, named, task) if len(controls) else controls
            classes = list(dict.fromkeys(named.get(str(label), str(label)) for label in classes))
        check_classes(frame, task, numbers=bool(named) or metrics_alone or given_classes or known.tagging)
    precision = precision_of(frame, name)
    choices = replace(choices, threshold=resolved_threshold(threshold, threshold_on, None, task, precision=precision))
    controls, placebo = split_placebo(controls)
    available = {} if columns or mentions is not None else read_available(frame, attribute)
    if columns or mentions is not None:
        controls, placebo = controls.iloc[:0], placebo.iloc[:0]
        frame, remarks = (
            groups_of_mentions(frame, mentions, attribute)
            if mentions is not None
            else grouped_by(frame, columns, min_cell)
        )
    if choices.draws and not len(placebo) and {"lexeme", "template"} <= set(frame.columns):
        several = frame["attribute"].astype("str") if "attribute" in frame.columns else [attribute]
        for compared in dict.fromkeys(several):
            remarks.setdefault(compared, []).append(_NO_PLACEBO)
    frame, merged = _with_lexemes(frame, attribute)
    model = {"name": name, "dtype": precision} if precision else {"name": name}
    info = {"task": "ner" if tagged else task, "model": model}
    reading: dict[str, Any] = {"task": task, "attribute": attribute, "classes": classes, "labels": labels and named}
    sets = split_any(frame, **reading)
    with stage("evaluating the table"):
        nulls = split_any(placebo, **reading) if len(placebo) else ()
        placebos = {examples.attribute: (examples, answers) for examples, answers in nulls}
        results = evaluate_sets(sets, choices, info=info, placebos=placebos, available=available)
    if precision not in ("", FULL):
        for notes in results.info["notes"].values():
            notes.append(f"computed in {precision}; not to be compared with a run in {FULL}")
    if len(controls):
        results = replace(results, examples=frame, controls=controls)
    for name, parts in (*remarks.items(), *merged.items()):
        results.info["notes"][name] += parts
    return Result(**vars(results))


def _with_lexemes(frame: pd.DataFrame, attribute: str) -> tuple[pd.DataFrame, dict[str, list[str]]]:
    """A table with the column ``lexeme`` where it lacks one and terms are certainly one word, and notes that say so."""
    if "term" not in frame.columns or "group" not in frame.columns or "lexeme" in frame.columns:
        return frame, {}
    frame = frame.reset_index(drop=True)
    own = {name: name_column(frame, name)[0] for name in ("attribute", "group", "term") if name in frame.columns}
    keys = pd.DataFrame({"attribute": attribute, **own}).astype("str")
    merged, apart = dict[str, list[str]](), dict[str, list[str]]()
    lexeme = pd.Series("", index=keys.index)
    for (name, _group), rows in keys[frame["term"].notna().to_numpy()].groupby(["attribute", "group"], sort=False):
        known = certain_lexemes(list(dict.fromkeys(rows["term"])), str(name))
        lexeme[rows.index] = rows["term"].map(known)
        several = {word: [term for term in known if known[term] == word] for word in dict.fromkeys(known.values())}
        merged.setdefault(str(name), []).extend(" = ".join(terms) for terms in several.values() if len(terms) > 1)
        apart.setdefault(str(name), []).extend(_alike(known))
    notes = {
        name: [f"terms that count as one word: {join_names(words, 5)}; a column lexeme says otherwise"]
        for name, words in merged.items()
        if words
    }
    frame = frame.assign(lexeme=lexeme.to_numpy()) if notes else frame
    for name, words in apart.items():
        if words:
            alike = f"terms with a stem in common that count as words of their own: {join_names(words, 5)}"
            notes.setdefault(name, []).append(f"{alike}; a column lexeme says otherwise")
    return frame, notes


def _alike(known: Mapping[str, str]) -> list[str]:
    """The words of a group that share a stem, given the word of each term; names in capitals and ids are left out."""
    words = [w for w in dict.fromkeys(known.values()) if any(part[:1].islower() for part in w.split())]
    blank = [""] * len(words)
    stems = lexemes(words, blank, blank, blank)
    several = (
        " / ".join(w for w, stem in zip(words, stems, strict=True) if stem == one) for one in dict.fromkeys(stems)
    )
    return [named for named in several if " / " in named]


def _checked_table(table: Any, **arrays: Any) -> pd.DataFrame | str | Path:
    """The table; `OptionError` where none is given, or arrays are without their groups."""
    named = [f"{name}=" for name, value in arrays.items() if value is not None]
    if isinstance(table, list) and table and all(isinstance(row, Mapping) for row in table):
        raise OptionError(
            f"the table is a list of {len(table):,} dictionaries; expected a DataFrame or a path.",
            remedy="Write evaluate(pandas.DataFrame(rows)).",
        )
    if not isinstance(table, (pd.DataFrame, str, Path)):
        raise OptionError(
            "sensitive_features= is not given, and there is no table."
            if table is not None or named
            else "there is nothing to evaluate.",
            remedy="Call evaluate(y_true, y_pred, sensitive_features=...), or evaluate(table).",
        )
    if named:
        raise OptionError(
            f"{', '.join(named)} {'belong' if len(named) > 1 else 'belongs'} to arrays, and a table is given.",
            remedy="A table has the columns label, predicted, p:<class> and weight.",
        )
    return table


def _gold(table: Any, y_true: Any) -> Any:
    """The gold classes, given by their position or by name."""
    if isinstance(table, (str, Path)) or (isinstance(table, pd.DataFrame) and table.shape[1] > 1):
        raise OptionError(
            "sensitive_features= belongs to y_true and y_pred, and a table is given.",
            remedy="Name the table's columns: group_columns=.",
        )
    if table is not None and y_true is not None:
        raise OptionError("y_true is given twice, by its position and by name.", remedy="Give it once.")
    return table if y_true is None else y_true
