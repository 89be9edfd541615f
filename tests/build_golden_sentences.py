"""English sentences to read: every template once and every group at least once.

``python tests/build_golden_sentences.py`` writes ``golden_sentences.txt`` anew. Read what changed before it is kept.
Dispreferred terms stay out, as they do in suites.
"""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from fairness_checklist.content.counterfactuals import exclude_minors, expand
from fairness_checklist.content.identity_pairs import merge_identities, pair_lists
from fairness_checklist.content.templates import (
    Template,
    attribute_of_file,
    excepted_of,
    is_for_attribute,
    is_for_other_terms,
    load_templates,
    read_templates,
)
from fairness_checklist.content.term_files import attributes, load_terms
from fairness_checklist.content.terms import TermList
from fairness_checklist.core.locations import data_files
from fairness_checklist.core.tasks import TASKS

GOLDEN = Path(__file__).resolve().parent / "golden_sentences.txt"
PAIRS = (("age", "gender"), ("race_ethnicity", "religion"), ("sexual_orientation", "disability"))


class Chooser:
    """Picks terms so that all groups come up, and all terms before one comes up again."""

    def __init__(self, terms: TermList) -> None:
        self.terms = terms
        self.groups: Counter[str] = Counter()
        self.shown: Counter[str] = Counter()

    def line(self, template: Template) -> str:
        """The template with the term whose group and which itself was shown least, and every ninth as the control."""
        terms = exclude_minors(self.terms) if template.task == "toxicity" else self.terms
        examples = expand([template], terms, task=template.task).examples
        if sum(self.groups.values()) % 9 == 8 and examples.group[0] < 0:
            self.groups["unmarked"] += 1
            return f"{template.id} [unmarked] {examples.texts.render(0, 1)[0]}"
        rows = [row for row in range(len(examples)) if examples.group[row] >= 0]
        group_of = [examples.groups[number] for number in examples.group]

        def key(row: int) -> tuple[int, int, int]:
            term = examples.terms[examples.term[row]]
            return self.groups[group_of[row]], self.shown[term], row

        row = min(rows, key=key)
        term = examples.terms[examples.term[row]]
        self.groups[group_of[row]] += 1
        self.shown[term] += 1
        return f"{template.id} [{group_of[row]}: {term}] {examples.texts.render(row, row + 1)[0]}"

    def missing(self) -> list[str]:
        return [group for group in self.terms.groups if not self.groups[group]]


def uses_template(template: Template, terms: TermList) -> bool:
    """Whether an attribute uses a shared template: its terms fill a slot, and `except_groups` leaves two groups."""
    left = len(terms.groups) - len(excepted_of(template, terms.groups))
    return (
        left >= 2 and is_for_attribute(template, terms.attribute) and not is_for_other_terms(template, terms.families)
    )


def shared(names: Sequence[str]) -> dict[str, list[Template]]:
    """The templates that serve every attribute with such terms, in turn to each of those that they serve."""
    found: dict[str, list[Template]] = {name: [] for name in names}
    terms = {name: load_terms(name) for name in names}
    for task in TASKS:
        turn: Counter[tuple[str, ...]] = Counter()
        for template in {one.id: one for name in names for one in load_templates(task, name)}.values():
            if not template.attribute:
                serving = tuple(name for name in names if uses_template(template, terms[name]))
                found[serving[turn[serving] % len(serving)]].append(template)
                turn[serving] += 1
    return found


def sentences() -> list[str]:
    """The lines of the file."""
    lines = []
    names = attributes()
    general = shared(names)
    for name in names:
        terms = load_terms(name).select()
        chooser = Chooser(terms)
        files = {name, base if (base := name.partition(".")[0]) not in names else name}
        own = [one for task in TASKS for one in load_templates(task, name) if attribute_of_file(one.file) in files]
        lines.append(f"# {name}")
        lines += [chooser.line(template) for template in (*own, *general[name])]
        more = [one for task in TASKS for one in load_templates(task, name)]
        more = [one for one in more if one.attribute or uses_template(one, terms)]
        for at in range(2 * len(terms.groups)):  # a sentence more for each group that has none yet
            if chooser.missing() and at < len(more):
                lines.append(chooser.line(more[at * 7 % len(more)]))
    templates = [
        merge_identities(one)
        for path in data_files("templates")
        if path.stem.endswith("intersections")
        for one in read_templates(path)
    ]
    sets = {path.stem: path for path in data_files("templates") if "." in path.stem and path.stem not in names}
    for name, path in sets.items():  # hate at groups: nobody is hurt by what is said of chess players
        chooser = Chooser(load_terms("control_words"))
        lines += [f"# {name}", *(chooser.line(template) for template in read_templates(path))]
    lines.append("# pairs")
    for at, template in enumerate(templates):
        first, second = (load_terms(name).select(max_terms=2) for name in PAIRS[at % len(PAIRS)])
        chooser = Chooser(pair_lists(first, second)[0])
        chooser.shown.update({term.term: (position * 5 + at) % 11 for position, term in enumerate(chooser.terms.terms)})
        chooser.groups.update({group: (position * 3 + at) % 7 for position, group in enumerate(chooser.terms.groups)})
        chooser.groups["unmarked"] = 9 - sum(chooser.groups.values()) % 9
        lines.append(chooser.line(template))
    return lines


if __name__ == "__main__":
    GOLDEN.write_text("\n".join(sentences()) + "\n", encoding="utf-8")
