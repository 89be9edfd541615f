"""What a run rests on and leaves out: undefined values, what was not tested, what to do next, and the suite."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from typing import Any

import pandas as pd

from fairness_checklist.content.term_files import attributes, load_terms
from fairness_checklist.core.errors import count
from fairness_checklist.core.formatting import capitalise, join_names, percent
from fairness_checklist.core.tasks import known_harm
from fairness_checklist.reports.render import Grid
from fairness_checklist.reports.run_view import View, about_findings, suite_parts, text_column
from fairness_checklist.reports.wording import at_place, group_phrase, left_out_words, terms_of
from fairness_checklist.tables.run_folder import Results

COLUMNS = ["metric", "class", "reason", "values", "which"]
_GROUPS, _TERMS, _NAMED = 8, 20, 8


def undefined_values(view: View) -> pd.DataFrame:
    """The undefined values of an attribute, a row for each metric, class and reason, with the columns `COLUMNS`.

    Values of a tagger of a type that no entity has at a place are in one row, of all metrics together.
    """
    rows = pd.concat([view.metrics, view.by_term.assign(metric=view.by_term["metric"].astype("str") + " by term")])
    rows = rows[rows["value"].isna()]
    rows = rows.assign(reason=rows["note"].replace("", "no reason was recorded"))
    if view.tagging:
        found = {place: (*view.gold_classes(place), "*") for place in rows["where"].unique()}
        lacking = [label not in found[place] for place, label in zip(rows["where"], rows["class"], strict=True)]
        places = rows["where"].map(lambda place: at_place(place, view.attribute))
        rows["reason"] = ("no entity " + places + " has the type " + rows["class"]).where(
            pd.Series(lacking, rows.index), rows["reason"] + ", " + places
        )
        rows["metric"] = rows["metric"].where(~pd.Series(lacking, rows.index), "all metrics")
    pairs = zip(rows["left"], rows["right"], strict=True)
    which = ["total" if left == "*" else f"{left} against {right.replace('_', ' ')}" for left, right in pairs]
    gathered = rows.assign(which=which).groupby(["metric", "class", "reason"], sort=False)["which"]
    listed = [(*key, len(names), join_names(list(names.unique()), _GROUPS)) for key, names in gathered]
    return pd.DataFrame(listed, columns=COLUMNS)


def undefined(views: Sequence[View]) -> Grid:
    """Every undefined value with its reason, those of one metric, class and reason in a row."""
    rows = [
        (str(r["metric"]), view.attribute, str(r["class"]), str(r["reason"]), f"{int(r['values']):,}", str(r["which"]))
        for view in views
        for r in undefined_values(view).to_dict("records")
    ]
    return Grid(("metric", "attribute", "class", "reason", "values", "of"), tuple(rows), 4)


def left_out(results: Results) -> Grid:
    """The metrics that these predictions do not allow, with the reason."""
    recorded: dict[str, dict[str, str]] = results.info.get("metrics_left_out", {})
    rows = [(metric, attribute, str(why)) for attribute, skipped in recorded.items() for metric, why in skipped.items()]
    return Grid(("metric", "attribute", "reason"), tuple(rows), 3)


def dropped(results: Results) -> Grid:
    """The templates that are not used, with the reason."""
    recorded: dict[str, list[dict[str, str]]] = results.info.get("dropped", {})
    rows = [
        (str(entry.get("template", "")), attribute, str(entry.get("reason", "")))
        for attribute, listing in recorded.items()
        for entry in listing
    ]
    return Grid(("template", "attribute", "reason"), tuple(rows), 3)


def suite(results: Results) -> Grid:
    """The suite: one attribute a row, with the number of terms of each group and the beginnings of the hashes."""
    counts, hashes = ("templates", "sources", "texts"), ("templates_sha256", "terms_sha256", "lists_sha256")
    rows = [
        (
            str(part.get("attribute", "")),
            ", ".join(f"{group} ({terms})" for group, terms in part.get("groups", {}).items()),
            *(str(part.get(name, ""))[:12] for name in hashes),
            *(f"{part[name]:,}" if isinstance(part.get(name), int) else "" for name in counts),
        )
        for part in suite_parts(results.info)
    ]
    heads = (f"hash of the {name.removesuffix('_sha256')}" for name in hashes)
    return Grid(("attribute", "groups (terms)", *heads, "templates", "sentences", "texts"), tuple(rows), 5)


def joint_hash(parts: Iterable[Mapping[str, Any]]) -> str:
    """One hash of all templates, terms, lists and texts of some parts of a suite; "" where none is recorded."""
    hashes = [str(value) for part in parts for name, value in part.items() if name.endswith("_sha256")]
    return sha256("\n".join(sorted(hashes)).encode("ascii")).hexdigest() if hashes else ""


def groups_left_out(info: Mapping[str, Any], attribute: str) -> list[str]:
    """The groups in the shipped term file of an attribute that a run's suite has not; none without such a file."""
    for part in suite_parts(info):
        if part.get("attribute") == attribute and attribute in attributes(language=part["language"]):
            return [g for g in load_terms(attribute, language=part["language"]).groups if g not in part["groups"]]
    return []


_SHOWN_ELSEWHERE = frozenset(
    ("dropped", "notes", "metric_notes", "metrics_left_out", "schemas", "suite", "findings", "pairs_with_reference")
)


def facts(info: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The entries of ``run.json`` that no other section shows, as pairs of name and value."""
    entries = {name: value for name, value in info.items() if name not in _SHOWN_ELSEWHERE}
    [flat] = pd.json_normalize(entries, sep=" ").to_dict("records")
    return [
        (str(name).replace("_", " "), "none" if value in (None, "", []) else str(value)) for name, value in flat.items()
    ]


def untested(results: Results, view: View) -> list[str]:
    """What an attribute of a run did not test, a line each."""
    attribute, records = view.attribute, view.findings
    recorded = about_findings(results, attribute)
    lines = []
    for name, why in recorded.get("left_out", {}).items():
        about = f"The error {_title(name)}" if name != "*" else "No comparison"
        lines.append(f"{about}: {left_out_words(name, why)}.")
    lines += [
        f"{capitalise(_title(name))}: the groups do not stand in the same sentences. The number of the others is that "
        "of the group's sentences, which is fitted and cannot be counted."
        for name in recorded.get("standardised", [])
    ]
    lines += _without_gold_class(view)
    parts = [part for part in suite_parts(results.info) if part.get("attribute") == attribute]
    own_texts = bool(parts) and not parts[0].get("templates")
    groups = records.drop_duplicates("group")
    used, there = int(groups["terms"].sum()), int(groups["terms_available"].sum())
    if there > used:
        why = "a random sample was used"
        if own_texts:
            fit = [str(term) for term in dict.fromkeys(view.examples["term"]) if term]
            why = f"only {join_names(fit, _TERMS)} fit in the texts"
        lines.append(f"{there - used:,} of the {there:,} {terms_of(attribute)} in the file are left out: {why}.")
    if len(records) and view.mentions and "control_words" not in recorded:
        lines.append("Control words: there are none for this run, so that words are compared with chance alone.")
    if len(records) and view.tagging:
        lines.append(
            f"Other entities of a text than the {terms_of(attribute)}, and entities that are found where there is "
            "none: not judged."
        )
    dropped = [str(entry.get("reason", "")) for entry in results.info.get("dropped", {}).get(attribute, [])]
    if dropped:
        reason = Counter(dropped).most_common(1)[0][0]
        what = "text" if own_texts else "template"
        lines.append(f"{count(len(dropped), what)} that a group cannot fill, most often because {reason}.")
    return lines


def _title(name: str) -> str:
    """An error in words; the user's own by its name."""
    harm = known_harm(name)
    return harm.title if harm else name


def not_tested(results: Results, views: Sequence[View]) -> str:
    """What a run did not ask, in a sentence."""
    if not any(view.mentions for view in views):
        return "other attributes, and rows other than these."
    parts = suite_parts(results.info)
    own_texts = bool(parts) and not any(part.get("templates") for part in parts)
    tidy = ", which are shorter and tidier than real ones" if parts and not own_texts else ""
    groups = sum(len(groups_left_out(results.info, view.attribute)) for view in views)
    left_out = f"{count(groups, 'group')} of {'this attribute' if len(views) == 1 else 'these attributes'}, "
    return f"{left_out if groups else ''}other attributes, and texts other than these sentences{tidy}."


def _without_gold_class(view: View) -> list[str]:
    """The texts that take no part because the model lacks their class, a line a class."""
    if view.tagging or "label" not in view.examples:
        return []
    label = text_column(view.examples, "label")
    lines = []
    for name in dict.fromkeys(label[~label.isin(view.classes)]):
        rows = view.examples[label == name]
        size = count(len(rows), "text" if view.mentions else "row")
        size += f" of {count(int(rows['source'].nunique()), 'sentence')}" if view.unit == "source" else ""
        why = f"with the label {name}, which the model does not have" if name else "without a label"
        lines.append(f"{size} {why}: no error is counted in them.")
    return lines


def control_lines(results: Results, attribute: str) -> list[str]:
    """What the comparison with control words rests on; [] without one."""
    recorded = about_findings(results, attribute).get("control_words")
    if not recorded:
        return []
    return [
        f"{recorded['words']:,} control words in {recorded['groups']:,} groups (hobbies, drinks, meals; of "
        f"names and places, random sets) stand in the same sentences, {recorded['texts']:,} texts. They decide nothing "
        "about groups. A word is named where its gap is larger than that of each control word."
    ]


def always_missed(words: pd.DataFrame, attribute: str) -> tuple[str, list[str]]:
    """How many words a tagger misses in every text, by their records, and of each group which; "" without any."""
    rate = words["rate"]
    lost, never, others = words[rate == 1], int((rate == 0).sum()), rate[(rate > 0) & (rate < 1)]
    if not len(lost):
        return "", []
    rest = f"; the others are missed in {percent(float(others.mean()))} of their texts" if len(others) else ""
    found = f"{never or 'none'} {'is' if never < 2 else 'are'} always found"
    by_group = [
        f"{capitalise(group_phrase(str(group), attribute))}: {len(names):,}, {join_names(list(names), _NAMED)}."
        for group, names in lost.groupby("group", sort=False)["word"]
    ]
    return f"{len(lost):,} of {len(words):,} {terms_of(attribute)} are missed in every text, {found}{rest}.", by_group
