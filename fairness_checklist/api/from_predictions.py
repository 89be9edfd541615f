"""`evaluate`: metrics and checks from predictions that are there already."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
from numpy.typing import ArrayLike

from fairness_checklist.api.result import Result
from fairness_checklist.api.scoring import resolved_threshold
from fairness_checklist.content.term_forms import certain_lexemes
from fairness_checklist.core.errors import OptionError
from fairness_checklist.core.formatting import join_names
from fairness_checklist.core.keywords import checks_keywords, takes_options
from fairness_checklist.core.option_defaults import (
    GROUP_ATTRIBUTE,
    MIN_CELL,
    TASK,
    items,
    names,
    nfc,
    string,
    whole_number,
)
from fairness_checklist.core.progress import stage
from fairness_checklist.core.tasks import get_task
from fairness_checklist.run.evaluation import evaluate_sets
from fairness_checklist.run.options import RunOptions
from fairness_checklist.tables.class_names import check_classes, check_label_column, map_classes
from fairness_checklist.tables.columns import (
    grouped_by,
    name_column,
    read_available,
    split_control_words,
    split_controls,
)
from fairness_checklist.tables.files import Table, is_table, table_of
from fairness_checklist.tables.from_arrays import SensitiveFeatures, table_of_arrays
from fairness_checklist.tables.notes import FULL, precision_of
from fairness_checklist.tables.token_cells import is_tagged
from fairness_checklist.tables.tokens import split_any

_NO_CONTROL_WORDS = (
    "the table has no rows of control words, which build --table writes: single words are compared with chance alone"
)


@checks_keywords
@takes_options(RunOptions)
def evaluate(
    table: Table | ArrayLike | None = None,
    y_pred: ArrayLike | None = None,
    *,
    y_true: ArrayLike | None = None,
    y_prob: ArrayLike | pd.DataFrame | None = None,
    sensitive_features: SensitiveFeatures | None = None,
    sample_weight: ArrayLike | None = None,
    task: str = TASK,
    attribute: str = GROUP_ATTRIBUTE,
    classes: Sequence[Any] = (),
    labels: Mapping[str, str] | None = None,
    group_columns: Sequence[str] = (),
    min_cell: int = MIN_CELL,
    threshold_on: Table | None = None,
    **options: Any,
) -> Result:
    """Metrics and checks from predictions that are there already; no model is needed.

    Called as ``evaluate(table)``, or as ``evaluate(y_true, y_pred, sensitive_features=...)`` with arrays, lists or
    pandas objects of n rows, as in scikit-learn and fairlearn.

    Args:
        table: a prediction table: a DataFrame, a Dataset of datasets, a Table of pyarrow, a list of dictionaries, a
            dictionary of columns, or the path of a CSV, Parquet or (of a tagger) JSON lines file; or y_true.
        y_pred: (n,) predicted classes, strings or numbers; by default the most probable class of ``y_prob``.
        y_true: (n,) gold classes; None, or a missing value, where there is none.
        y_prob: probabilities: (n,) of the second of two classes, (n, C) of all in the order of ``classes``, or
            a DataFrame whose columns are the classes.
        sensitive_features: (n,) groups; or several columns, a DataFrame or a mapping from names, each of which is an
            attribute. Rows without a group take no part in the attribute, and the notes count them.
        sample_weight: (n,) weights, 0 or more.
        task: the task, which defines the classes.
        attribute: the attribute's name where the table has no column ``attribute``, or the feature no name.
        classes: the C classes in order, where the table's own order is not the one meant; of ``y_prob`` its columns.
        labels: the task's class for a label of the table, {"0": "nontoxic", "1": "toxic"}; of a tagger's table the
            suite's type for a type of the tagger's, {"GPE": "LOC"}. Needed where the labels are numbers and
            ``classes`` is not given; of arrays not where ``metrics`` or ``harm`` is given.
        group_columns: the columns of the table, or the sensitive features, whose values are the groups: one, or two, of
            which the pairs are groups as well; in place of the column ``group``.
        min_cell: groups of such columns with fewer rows are left out, and the notes name them.
        threshold_on: as in `Suite.run`; a table for "eer" holds ``p:<class>``.
        options: what is computed and how, the fields of `RunOptions`: ``metrics``, ``harm``, ``margin``, ...

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
    get_task(task)
    whole_number("min_cell", min_cell)
    listed = items("group_columns", group_columns, (str, int), "names of columns", empty=True)
    columns: list[Any] = [nfc(column) if isinstance(column, str) else column for column in listed]
    if labels is not None and not isinstance(labels, Mapping):
        raise OptionError(f"labels={labels!r} is not a mapping.", remedy='Write labels={"GPE": "LOC"}.')
    renamed = {nfc(str(label)): nfc(str(wanted)) for label, wanted in (labels or {}).items()}
    attribute = string("attribute", attribute, empty=False)
    choices = RunOptions(**options)
    numbers = bool(renamed) or not (isinstance(classes, Sequence) and not classes)
    left_out: dict[str, list[str]] = {}
    arrays = {"y_pred": y_pred, "y_prob": y_prob, "sample_weight": sample_weight}
    if sensitive_features is None:
        rows = _checked_table(table, y_true=y_true, **arrays)
        classes = names("classes", classes, empty=True)
        name = Path(rows).name if isinstance(rows, (str, Path)) else "a table in memory"
    else:
        name = "arrays in memory"
        numbers = numbers or choices.metrics is not None or choices.harm is not None
        rows, classes, left_out = table_of_arrays(
            _gold(table, y_true),
            **arrays,
            sensitive_features=sensitive_features,
            classes=classes,
            task=task,
            attribute=attribute,
            crossed=bool(columns),
        )
    if len(set(classes)) < len(classes):
        raise OptionError(f"classes= names a class twice: {', '.join(classes)}.", remedy="Name each once.")
    with stage("reading the table"):
        frame, controls = split_controls(table_of(rows))
    tagged = is_tagged(frame)
    if not tagged:
        check_label_column(frame.columns, columns)
        tagging = get_task(task).tagging
        if renamed and not tagging:
            frame = map_classes(frame, renamed, task)
            controls = map_classes(controls, renamed, task) if len(controls) else controls
            classes = list(dict.fromkeys(renamed.get(label, label) for label in classes))
        check_classes(frame, task, numbers=numbers or tagging)
    precision = precision_of(frame, name)
    choices = replace(choices, threshold=resolved_threshold(choices.threshold, threshold_on, None, task))
    crossings, control_words = split_control_words(controls)
    available = {} if columns else read_available(frame, attribute)
    if columns:
        controls = control_words = controls.iloc[:0]
        frame, left_out = grouped_by(frame, columns, min_cell)
    has_words = {"lexeme", "template"} <= set(frame.columns)
    no_control_words = [_NO_CONTROL_WORDS] if has_words and not len(control_words) else []
    frame, merged = _with_lexemes(frame, attribute)
    info = {"task": "ner" if tagged else task, "model": {"name": name, **({"dtype": precision} if precision else {})}}
    read = partial(split_any, task=task, attribute=attribute, classes=classes, labels=renamed)
    with stage("evaluating the table"):
        split = read(control_words) if len(control_words) else ()
        beside = {examples.attribute: (examples, answers) for examples, answers in split}
        results = evaluate_sets(read(frame), choices, info=info, controls=beside, available=available)
    if len(crossings):
        results = replace(results, examples=frame)
    if len(controls):
        results = replace(results, controls=controls)
    of_all = [] if precision in ("", FULL) else [f"computed in {precision}; not to be compared with a run in {FULL}"]
    for compared, remarks in results.info["notes"].items():
        remarks += [*of_all, *left_out.get(compared, ()), *no_control_words, *merged.get(compared, ())]
    return Result(**vars(results))


def _with_lexemes(frame: pd.DataFrame, attribute: str) -> tuple[pd.DataFrame, dict[str, list[str]]]:
    """A table with the column ``lexeme`` where it lacks one and terms are certainly one word, and notes that say so."""
    if "term" not in frame.columns or "group" not in frame.columns or "lexeme" in frame.columns:
        return frame, {}
    frame = frame.reset_index(drop=True)
    given_names = {
        name: name_column(frame, name)[0] for name in ("attribute", "group", "term") if name in frame.columns
    }
    keys = pd.DataFrame({"attribute": attribute, **given_names}).astype("str")
    merged: dict[str, list[str]] = {}
    lexeme = pd.Series("", index=keys.index)
    for (name, _group), rows in keys[frame["term"].notna().to_numpy()].groupby(["attribute", "group"], sort=False):
        word_of = certain_lexemes(list(dict.fromkeys(rows["term"])), str(name))
        lexeme[rows.index] = rows["term"].map(word_of)
        for word in dict.fromkeys(word_of.values()):
            terms = [term for term in word_of if word_of[term] == word]
            if len(terms) > 1:
                merged.setdefault(str(name), []).append(" = ".join(terms))
    notes = {
        name: [f"terms that count as one word: {join_names(words, 5)}; a column lexeme says otherwise"]
        for name, words in merged.items()
    }
    return frame.assign(lexeme=lexeme.to_numpy()) if merged else frame, notes


def _checked_table(table: Any, **arrays: Any) -> Table:
    """The table; `OptionError` where none is given, or arrays are without their groups."""
    named = [f"{name}=" for name, value in arrays.items() if value is not None]
    if not isinstance(table, (str, Path)) and not is_table(table):
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
