"""The review of a file of terms by the people whom they name: a sheet to answer."""

from __future__ import annotations

import csv
import hashlib
import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from fairness_checklist.content.counterfactuals import expand
from fairness_checklist.content.templates import load_templates
from fairness_checklist.content.term_files import read_terms
from fairness_checklist.content.terms import TermList, display_names
from fairness_checklist.core.atomic import atomic_folder, check_replaceable_folder
from fairness_checklist.core.errors import OptionError
from fairness_checklist.core.locations import shipped_folder

SENTENCES = 3
CHOICES = ("yes", "no", "it depends")
QUESTIONS = {
    "used": "Do people whom this describes use these words about themselves?",
    "prefer": "Would you prefer other words? Which?",
    "offensive": "Would these words offend you, or people you know, in an ordinary text?",
    "plausible": "Does this sound like something a real person might write?",
}
"""The four questions about a term; the last one is asked of each of its sentences."""
_SENTENCE = tuple(f"sentence_{n}" for n in range(1, SENTENCES + 1))
PLAUSIBLE = tuple(f"plausible_{n}" for n in range(1, SENTENCES + 1))
COLUMNS = (
    "sheet",
    "reader",
    "member",
    "group",
    "term",
    *_SENTENCE,
    "used",
    "prefer",
    "offensive",
    *PLAUSIBLE,
    "comment",
)


@dataclass(frozen=True)
class Item:
    """A term on the sheet, with sentences in which it stands."""

    group: str
    term: str
    sentences: tuple[str, ...]


@dataclass(frozen=True)
class Sheet:
    """The items of a review."""

    attribute: str
    items: tuple[Item, ...]
    chosen: bool = False  # whether it has some of the groups only

    @property
    def title(self) -> str:
        """What the sheet is about, for readers."""
        groups = ", ".join(dict.fromkeys(item.group for item in self.items))
        return groups if self.chosen else self.attribute.replace("_", " ")

    @property
    def key(self) -> str:
        """What a browser keeps the answers under: another one for other groups, terms or sentences."""
        return f"{self.attribute} {hashlib.sha256(repr(self.items).encode()).hexdigest()[:8]}"


def make_sheet(path: str | Path, *, groups: Sequence[str] | None = None, seed: int = 0) -> Sheet:
    """The terms of a file that are used by default, each in up to three neutral or positive sentences.

    The sentences of a term are of three templates, drawn with ``seed``; negative and hostile ones are not asked about.

    Raises:
        TermError: the file does not parse, or an unknown group.

    >>> from fairness_checklist.core.locations import shipped_folder
    >>> sheet = make_sheet(shipped_folder("identity_terms") / "veteran_status.csv")
    >>> sheet.attribute, len(sheet.items[0].sentences)
    ('veteran_status', 3)
    """
    path = Path(path)
    terms = read_terms(path).select(groups)
    names = display_names(terms.terms)
    sentences = dict(_sentences(terms, path, seed))
    items = (Item(term.group, name, sentences.get(name, ())) for term, name in zip(terms.terms, names, strict=True))
    return Sheet(terms.attribute, tuple(items), chosen=bool(groups))


def _sentences(terms: TermList, path: Path, seed: int) -> Iterator[tuple[str, tuple[str, ...]]]:
    own = path.resolve().parent.parent / "templates"
    extra = own if own.is_dir() and own != shipped_folder("templates") else None
    templates = [
        template
        for template in load_templates("sentiment", terms.attribute, extra, language=terms.language)
        if template.label in {"neutral", "positive"}
    ]
    examples = expand(templates, terms, task="sentiment").examples
    texts = examples.render()
    rows = defaultdict[int, list[int]](list)
    for row, term in enumerate(examples.term.tolist()):
        rows[term].append(row)
    for term, name in enumerate(examples.terms):
        of_family: dict[str, int] = {}
        for row in Random(f"{seed} {name}").sample(rows[term], len(rows[term])):
            source = examples.sources[examples.source[row]]
            of_family.setdefault(source.paraphrase_of or source.template, row)
        yield name, tuple(texts[row] for row in list(of_family.values())[:SENTENCES])


def write_sheet(sheet: Sheet, folder: str | Path, *, force: bool = False) -> Path:
    """Write ``sheet.html`` (opens in a browser, and saves a file of answers) and ``sheet.csv`` (for spreadsheets)."""
    folder = Path(folder)
    check_replaceable_folder(folder, "review.json", "a review", OptionError)
    if not force and (folder / "review.json").is_file():
        raise OptionError(
            f"the folder {folder.name} holds a review.", remedy="Name another folder, or give force=True."
        )
    with atomic_folder(folder) as scratch:
        (scratch / "sheet.html").write_text(_page(sheet), encoding="utf-8")
        with (scratch / "sheet.csv").open("w", encoding="utf-8-sig", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS, restval="")
            writer.writeheader()
            for item in sheet.items:
                shown = dict(zip(_SENTENCE, item.sentences, strict=False))
                writer.writerow({"sheet": sheet.attribute, "group": item.group, "term": item.term, **shown})
        (scratch / "review.json").write_text(
            json.dumps({"attribute": sheet.attribute, "files": list(_FILES)}, indent=1), "utf-8"
        )
    return folder


_FILES = ("sheet.html", "sheet.csv", "review.json")


def _page(sheet: Sheet) -> str:
    from jinja2 import Environment, StrictUndefined

    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    groups = dict.fromkeys(item.group for item in sheet.items)
    return environment.from_string(Path(__file__).with_name("review.html.j2").read_text("utf-8")).render(
        title=sheet.title,
        name=sheet.attribute,
        key=sheet.key,
        columns=COLUMNS,
        choices=CHOICES,
        questions=QUESTIONS,
        groups={group: [item for item in sheet.items if item.group == group] for group in groups},
    )


# Answers
