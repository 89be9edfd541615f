"""Filling templates against CheckList's `Editor.template` and `str.format`, and the time that `lint` takes.

    python benchmarks/templates.py [--quick] [--json FILE]

All sides write the same sentences from the same words in the same run, taking turns; figures are medians, and what
counts are the ratios. "ours" is everything: parsing, articles, groups, the control and the text; "ours, text only"
renders an example set that stands already, as a run does for each chunk. CheckList is measured where the
extra ``checklist`` is installed. ``lint`` reads templates that fit every attribute, in seconds of CPU: twice as many
shall take twice as long, 10,000 at most 30 s.
"""

from __future__ import annotations

import argparse
import gc
import itertools
import json
import random
import resource
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from fairness_checklist.content.counterfactuals import expand
from fairness_checklist.content.templates import Template
from fairness_checklist.content.terms import IdentityTerm, TermList
from fairness_checklist.core.errors import MissingExtraError
from fairness_checklist.extensions.authoring.lint.linter import lint
from fairness_checklist.extensions.checklist.library import import_checklist

GROUPS = ("north", "south", "east", "west")
N_TERMS = 200
# Name, our template, CheckList's, that of str.format (which knows no articles: the adjectives start alike). {number} is
# written before the clock starts: it makes many templates of one.
CASES = (
    (
        "one slot, many templates",
        "On day {number} I met {a:identity_adj} writer.",
        "On day {number} I met {a:adj} writer.",
        "On day {number} I met a {adj} writer.",
    ),
    (
        "one slot, one template, a list",
        "The {identity_adj} writer left {city}.",
        "The {adj} writer left {city}.",
        "The {adj} writer left {city}.",
    ),
    (
        "two slots, one template, a list",
        "In {city} {a:identity_adj} writer met the {identity_adj} cook.",
        "In {city} {a:adj} writer met the {adj} cook.",
        "In {city} a {adj} writer met the {adj} cook.",
    ),
)


def measure_case(case: tuple[str, str, str, str], n: int, rounds: int, editor: Any) -> dict[str, Any]:
    """Medians for one case, in sentences a second, and the ratios to the others.

    Args:
        case: its name and the three templates.
        n: about how many sentences a round writes.
        rounds: how often each side takes its turn.
        editor: CheckList's ``Editor``, or ``None``.
    """
    name, *texts = case
    n_other = n // N_TERMS
    numbers = range(n_other) if "{number}" in texts[0] else range(1)
    ours, theirs, plain = ([text.replace("{number}", str(number)) for number in numbers] for text in texts)
    lists = {"city": [f"City{number}" for number in range(n_other)]} if len(numbers) == 1 else {}
    adjectives = [f"b{number}ish" for number in range(N_TERMS)]
    terms = TermList(
        "benchmark", tuple(IdentityTerm(word, GROUPS[at * 4 // N_TERMS]) for at, word in enumerate(adjectives))
    )
    templates = [Template(f"t{number}", text, "neutral") for number, text in enumerate(ours)]
    examples = expand(templates, terms, task="sentiment", lists=lists).examples

    def formatted() -> list[str]:
        cities = lists.get("city", [""])
        return [
            text.format(adj=adjective, city=city)
            for text, city, adjective in itertools.product(plain, cities, adjectives)
        ]

    def checklist() -> list[str]:
        return [one for text in theirs for one in editor.template(text, adj=adjectives, **lists).data]

    sides: dict[str, Callable[[], list[str]]] = {
        "ours": lambda: expand(templates, terms, task="sentiment", lists=lists).examples.render(),
        "ours, text only": examples.render,
        "str.format": formatted,
    }
    if editor is not None:
        sides["checklist"] = checklist
    check_same(sides, examples.group.tolist())
    speeds = take_turns(sides, rounds)
    return {
        "case": name,
        "sentences": len(examples),
        "sentences_per_second": speeds,
        "ratio_to_checklist": speeds["ours"] / speeds["checklist"] if editor is not None else None,
        "ratio_to_checklist_text_only": speeds["ours, text only"] / speeds["checklist"] if editor is not None else None,
        "ratio_to_str_format": speeds["ours"] / speeds["str.format"],
    }


PARTS = (
    ("{A:identity.writer}", "My {identity_adj} neighbor", "{The:identity.baker}", "{Person}"),
    ("met", "praised", "visited", "called", "saw", "joined", "greeted", "taught"),
    ("the mayor", "a friend", "two nurses", "the crowd", "my aunt", "a tall stranger", "the new coach"),
    ("in the park", "at the station", "after lunch", "on Monday", "near the river", "before dawn", "in town"),
    ("", " yesterday", " again", " twice", " this week", " with a smile", " in silence"),
)


def measure_lint(n: int) -> dict[str, float]:
    """Seconds of CPU, findings and peak memory in MB of `lint` for n templates, no two the same."""
    texts = [f"{a} {b} {c} {d}{e}." for a, b, c, d, e in itertools.product(*PARTS)]
    with tempfile.TemporaryDirectory() as folder:
        rows = [f'"{text}",neutral\n' for text in random.Random(1).sample(texts, n)]
        (Path(folder) / "mine.csv").write_text("sentence,label\n" + "".join(rows), encoding="utf-8")
        start = time.process_time()
        findings = lint(folder)
        seconds = time.process_time() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"templates": n, "seconds": seconds, "findings": len(findings), "peak_mb": peak}


def check_same(sides: dict[str, Callable[[], list[str]]], groups: list[int]) -> None:
    """Every side must write the same sentences (ours without its controls), or the comparison is void."""
    marked = sorted(text for text, group in zip(sides["ours"](), groups, strict=True) if group >= 0)
    for name, side in sides.items():
        if not name.startswith("ours") and sorted(side()) != marked:
            raise RuntimeError(f"{name} wrote other sentences than we do")


def take_turns(sides: dict[str, Callable[[], list[str]]], rounds: int) -> dict[str, float]:
    """The median sentences a second of each side."""
    speeds: dict[str, list[float]] = {name: [] for name in sides}
    for _round in range(rounds):
        for name, side in sides.items():
            gc.collect()
            start = time.perf_counter()
            texts = side()
            speeds[name].append(len(texts) / (time.perf_counter() - start))
            del texts
    return {name: statistics.median(values) for name, values in speeds.items()}


def make_editor() -> Any:
    """CheckList's ``Editor``, or ``None`` where it is not installed."""
    try:
        import_checklist()
    except MissingExtraError as error:
        print(error.message, "Compared with str.format only.")
        return None
    from checklist.editor import Editor

    return Editor()


def main() -> None:
    """Run, print a table, and write the figures where ``--json`` says."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="fewer sentences and rounds")
    parser.add_argument("--json", type=Path, help="where to write the figures")
    options = parser.parse_args()
    n, rounds = (20_000, 3) if options.quick else (200_000, 7)
    linted = [measure_lint(size) for size in ((500, 1000) if options.quick else (2500, 5000, 10_000))]
    for case in linted:
        print(
            f"lint of {case['templates']:,} templates: {case['seconds']:.1f} s of CPU, {case['findings']:,} findings, "
            f"{case['peak_mb']:.0f} MB"
        )
    editor = make_editor()
    results = [measure_case(case, n, rounds, editor) for case in CASES]
    for result in results:
        print(f"{result['case']} ({result['sentences']:,} sentences)")
        for name, speed in result["sentences_per_second"].items():
            print(f"  {name:<16} {speed / 1e6:8.2f} M sentences/s")
        if result["ratio_to_checklist"] is not None:
            print(f"  {'to CheckList':<16} {result['ratio_to_checklist']:8.1f} times", end="")
            print(f" ({result['ratio_to_checklist_text_only']:.1f} times text only)")
    if options.json:
        options.json.write_text(json.dumps({"quick": options.quick, "cases": results, "lint": linted}, indent=1) + "\n")


if __name__ == "__main__":
    main()
