"""Precision and recall of the rules about content, over seeded faults and near misses; slurs are stored in ROT13.

The rules were written with these rows at hand, so that the figures are no estimate for rows that nobody has tried.
"""

import codecs
import csv
from pathlib import Path

import pytest

from fairness_checklist.extensions.authoring.lint.linter import lint

SEEDED = Path(__file__).resolve().parent / "seeded_content"
RULES = frozenset("slur phrase cause harm pronoun spelling stop brand lexicon source".split())  # noqa: SIM905 - a list of words reads better as text
BASE_TERMS = (
    "term,group,pos,status,flags,source\n{},a,adj,accepted,thin,from memory\n{},b,adj,accepted,thin,from memory\n"
)
TERMS = {"en": BASE_TERMS.format("hearing", "deaf"), "es": BASE_TERMS.format("oyente", "sorda")}


def seeds(name: str) -> list[dict[str, str]]:
    """The rows of a file of seeds, with their text decoded."""
    with (SEEDED / name).open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return [row | {"text": codecs.decode(row["text"], "rot13") if row["rot13"] else row["text"]} for row in rows]


def findings_by_row(rows: list[dict[str, str]], folder: Path) -> list[set[str]]:
    """The rules of `RULES` that fire for each row, all rows in one folder."""
    places: dict[tuple[str, int], int] = {}
    for language, inner in (("en", ""), ("es", "es")):
        for kind, name in (("template", "templates"), ("term", "identity_terms")):
            header = "sentence,label,task" if kind == "template" else TERMS[language].strip()
            lines = header.split("\n")
            (folder / name / inner).mkdir(parents=True, exist_ok=True)
            path = folder / name / inner / "listening.csv"
            for at, row in enumerate(rows):
                if (row["kind"], row["language"]) == (kind, language):
                    task = "toxicity" if "toxic" in row["label"] else "sentiment"
                    cells = [row["text"], row["label"], task]
                    if kind == "term":
                        cells = [row["text"], "b", row["pos"], "accepted", "", row["source"]]
                    lines.append(",".join('"' + cell.replace('"', '""') + '"' for cell in cells))
                    places[str(path), len(lines)] = at
            path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    found: list[set[str]] = [set() for _row in rows]
    for finding in lint(folder):
        if finding.order in places and finding.rule in RULES:
            found[places[finding.order]].add(finding.rule)
    return found


@pytest.mark.parametrize("name", sorted(path.name for path in SEEDED.glob("*.csv")))
def test_precision_and_recall_of_the_rules_about_content(name: str, tmp_path: Path) -> None:
    rows = seeds(name)
    found = findings_by_row(rows, tmp_path)

    faulty = [row["rule"] in rules for row, rules in zip(rows, found, strict=True) if row["rule"]]
    raised = [rule == row["rule"] for row, rules in zip(rows, found, strict=True) for rule in rules]
    recall, precision = sum(faulty) / len(faulty), sum(raised) / len(raised)
    for row, rules in zip(rows, found, strict=True):
        if rules != ({row["rule"]} - {""}):
            print(f"expected {row['rule'] or 'nothing'}, found {sorted(rules)}: {row['kind']} {row['text']}")
    print(f"{name}: {len(faulty)} faults, {len(rows) - len(faulty)} clean rows")
    print(f"precision {precision:.3f} of {len(raised)} findings, recall {recall:.3f}")
    assert (precision >= 0.95, recall >= 0.85) == (True, True)


def test_recall_on_rows_of_somebody_who_had_not_read_the_rules(tmp_path: Path) -> None:
    """The rules were not tuned with these rows, but for two clean ones that they had flagged: .85 and .91 at first.

    Of the 60 faults 5 were sentences in another language, for which there is no rule any more.
    """
    rows = seeds("by_a_stranger/rows.csv")
    found = findings_by_row(rows, tmp_path)

    faulty = [bool(rules) for row, rules in zip(rows, found, strict=True) if row["rule"]]
    clean = [not rules for row, rules in zip(rows, found, strict=True) if not row["rule"]]
    print(f"{sum(faulty)} of {len(faulty)} faults found, {len(clean) - sum(clean)} of {len(clean)} clean rows flagged")
    assert (sum(faulty) >= 46, sum(clean) >= 57) == (True, True)


def test_bad_rows_of_terms_are_found(tmp_path: Path) -> None:
    rows = {
        "tall woman,b,adj,": "term",
        "with a lute,b,noun,": "term",
        "policewoman,b,noun,policewomans": "term",
        "gardener,b,noun,gardeners": "",
        "lute player,wheelchair bound,noun,": "phrase",
    }
    (tmp_path / "identity_terms").mkdir()
    written = "".join(f"{row},accepted,thin,from memory\n" for row in rows)
    (tmp_path / "identity_terms" / "listening.csv").write_text(
        f"term,group,pos,plural,status,flags,source\nhearing,a,adj,,accepted,thin,from memory\n{written}", "utf-8"
    )
    found = [(finding.order[1], finding.rule) for finding in lint(tmp_path)]
    checked = {(line, rule) for line, rule in found if rule in {"term", "duplicate", "phrase", "slur"} and line}
    assert checked == {(line, rule) for line, rule in enumerate(rows.values(), start=3) if rule}
