"""Slots that are filled before the group: values of the user's lists and the fixed neutral terms."""

import math
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import permutations, product
from pathlib import Path

from fairness_checklist.content.grammar.languages import DEFAULT
from fairness_checklist.content.rendering import unmarked_text
from fairness_checklist.content.slot_forms import SlotText, Unfit, entity, write, write_list
from fairness_checklist.content.slots import Slot, check_list_names, in_turn, split_pieces, template_error
from fairness_checklist.content.templates import Template, parse_template, slots_of
from fairness_checklist.content.term_files import load_neutral
from fairness_checklist.content.terms import IdentityTerm, TermList
from fairness_checklist.core.delimited import check_characters
from fairness_checklist.core.errors import SuiteError
from fairness_checklist.core.option_defaults import nfc
from fairness_checklist.core.sentences import decode_marks, extract_entities, mark_entity
from fairness_checklist.core.tasks import get_task

Lists = Mapping[str, Sequence[str]]
OTHER_SLOTS = "other slots"  # the code of a template whose slots are all for terms of other kinds
_WORD = re.compile(r"[^\W_]+(?:['\u2019-][^\W_]+)*")


@dataclass(frozen=True)
class Stem:
    """A source before its group is filled in: n + 1 literals around n slots; its id ends in "/value" of each list."""

    id: str
    literals: tuple[str, ...]
    slots: tuple[Slot, ...]

    @property
    def pieces(self) -> tuple[str | Slot, ...]:
        """Literals and slots in turn."""
        return in_turn(self.literals, self.slots)

    @cached_property
    def words(self) -> frozenset[str]:
        """The runs of letters and digits of its literals."""
        return frozenset(re.findall(r"\w+", " ".join(self.literals)))

    @cached_property
    def entity_types(self) -> frozenset[str]:
        """The types of the entities that are marked in its literals."""
        return frozenset(kind for literal in self.literals for _start, _end, kind in extract_entities(literal)[1])

    @cached_property
    def unmarked(self) -> str | None:
        """The sentence without the identity, or ``None`` where grammar allows none."""
        return unmarked_text(self.pieces)

    @property
    def text(self) -> str:
        """The sentence in the slot language, the slots of the group still open."""
        return "".join(
            piece.before + piece.raw
            if isinstance(piece, Slot)
            else decode_marks(piece).replace("{", "{{").replace("}", "}}")
            for piece in self.pieces
        )


def check_lists(lists: Lists | None) -> dict[str, tuple[str, ...]]:
    """The user's lists as tuples, if they can be used."""
    if lists is not None and not (isinstance(lists, Mapping) and all(isinstance(name, str) for name in lists)):
        raise SuiteError(
            f"lists={lists!r} is not a mapping from names to values.",
            remedy='Write lists={"city": ["Leeds", "Turin"]}.',
        )
    checked: dict[str, tuple[str, ...]] = {}
    lists = {nfc(name): values for name, values in (lists or {}).items()}
    check_list_names(lists)
    for name, entries in lists.items():
        is_list = isinstance(entries, Iterable) and not isinstance(entries, (str, bytes, Mapping))
        values = tuple(entries) if is_list else ()
        if not is_list or not all(isinstance(value, str) and value.strip() for value in values):
            remedy = f'Write lists={{"{name}": ["...", "..."]}}.'
            raise SuiteError(f"the list {name!r} is not a list of words: {entries!r}.", remedy=remedy)
        if not values:
            raise SuiteError(f"the list {name!r} is empty.", remedy="Give it at least one value, or leave it out.")
        for value in values:
            check_characters(f"value of the list {name!r}:", value, "", SuiteError)
            if values.count(value) > 1:
                raise SuiteError(f"the list {name!r} holds {value!r} twice.", remedy="Remove one of them.")
        checked[name] = values
    return checked


def read_lists(folder: str | Path) -> dict[str, tuple[str, ...]]:
    """The lists of a folder: each file ``<name>.txt`` or ``<name>.csv`` holds one value per line, without a header."""
    folder = Path(folder)
    files = sorted(path for path in folder.glob("*") if path.suffix in {".txt", ".csv"})
    if not files:
        remedy = "Put files like city.txt into it, one value per line."
        raise SuiteError(f"the folder {str(folder)!r} holds no list.", remedy=remedy)
    lines = {path.stem: path.read_text(encoding="utf-8-sig").splitlines() for path in files}
    return check_lists({name: [line.strip() for line in values if line.strip()] for name, values in lines.items()})


def stems(
    template: Template,
    families: frozenset[str],
    lists: Mapping[str, tuple[str, ...]],
    neutral: Callable[[], TermList],
    avoid: Collection[str] = (),
) -> list[Stem] | Unfit:
    """The sources of a template: one for each combination of list values."""
    pieces = parse_template(template, lists)
    slots = [piece for piece in pieces if isinstance(piece, Slot)]
    numbers = _numbers_of(slot for slot in slots if not slot.is_list)
    identities = numbers.get("identity", [])
    if len(identities) > 1:
        first, second = (f"identity{number or ''}" for number in identities[-2:])
        raise template_error(
            template.place or template.id,
            f"the slots {first} and {second} name two identities; a suite of one attribute fills one.",
            f"Write {first} in both places, or a name: {{person}}; or build an intersection: gender+age.",
        )
    tested = {(family, used[0]) for family, used in numbers.items() if family in families}
    if "identity" in numbers and "identity" not in families:
        return Unfit("it has identity slots, which these terms do not fill")
    if not slots:
        return Unfit("it has no slot: write {a:identity_np} or {person}")
    if not tested:
        return Unfit(f"it has no slot that these terms fill ({', '.join(sorted(families))})", OTHER_SLOTS)
    neutral_words = dict(_neutral_words(pieces, tested, neutral, avoid, template))
    sources = []
    for suffix, values in _list_words([slot for slot in slots if slot.is_list], lists, template):
        words = {**neutral_words, **values}
        written = (words.get(piece, piece) if isinstance(piece, Slot) else piece for piece in pieces)
        literals, open_slots = split_pieces(written)
        sources.append(Stem(template.id + suffix, tuple(literals), tuple(open_slots)))
    return sources


def count_fillings(template: Template, lists: Mapping[str, Sequence[str]]) -> dict[str, int]:
    """The number of choices of each list in a template; their product is the number of its sources."""
    used = _numbers_of(slot for slot in slots_of(template, lists) if slot.is_list)
    return {name: math.perm(len(lists[name]), len(numbers)) for name, numbers in used.items()}


def clashes(term: IdentityTerm, stem: Stem) -> bool:
    """Whether a name or place occurs in the words around the slots, as a neutral fill or literally."""
    if term.pos not in {"name", "place"}:
        return False
    spelling = term.term.removeprefix("the ")
    return any(
        re.search(rf"(?<![\w'\u2019-]){re.escape(spelling)}(?![\w-])", literal) is not None
        for literal in stem.literals
        if spelling in literal
    )


def neutral_loader(neutral: TermList | None, language: str = DEFAULT) -> Callable[[], TermList]:
    """A function that gives the neutral terms: those given, else the shipped ones, read once and only if requested."""
    return cache(lambda: load_neutral(language)) if neutral is None else lambda: neutral


def _neutral_words(
    pieces: Sequence[str | Slot],
    tested: Collection[tuple[str, int]],
    neutral: Callable[[], TermList],
    avoid: Collection[str],
    template: Template,
) -> Iterator[tuple[Slot, str]]:
    """For each slot of another attribute what the first fitting neutral term writes into it, entities marked."""
    wanted: dict[tuple[str, int], list[Slot]] = {}
    for piece in pieces:
        if isinstance(piece, Slot) and not piece.is_list and (piece.family, piece.number) not in tested:
            wanted.setdefault((piece.family, piece.number), []).append(piece)
    taken = {word for piece in pieces if isinstance(piece, str) for word in _WORD.findall(piece)}
    for (family, _number), slots in wanted.items():
        candidates = [term for term in neutral().terms if term.group == family and term.term not in taken]
        candidates.sort(key=lambda term: term.term in avoid)
        term, written = _first_fitting(candidates, slots, template)
        taken.add(term.term)
        for slot, form in zip(slots, written, strict=True):
            text, span = form.text, entity(slot, term, form) if get_task(template.task).tagging else None
            if span:
                start, end, kind = span
                text = f"{text[:start]}{mark_entity(text[start:end], kind)}{text[end:]}"
            yield slot, text


def _first_fitting(
    candidates: Sequence[IdentityTerm], slots: Sequence[Slot], template: Template
) -> tuple[IdentityTerm, list[SlotText]]:
    for term in candidates:
        written = [write(slot, term) for slot in slots]
        fitting = [form for form in written if isinstance(form, SlotText)]
        if len(fitting) == len(slots):
            return term, fitting
    raise template_error(
        template.place or template.id,
        f"no neutral term is left for the slot {slots[0].raw}.",
        f"Add one to the group {slots[0].family} of neutral.csv, or write a word instead.",
    )


def _list_words(
    slots: Sequence[Slot], lists: Mapping[str, tuple[str, ...]], template: Template
) -> Iterator[tuple[str, dict[Slot, str]]]:
    """Each combination of list values, as the suffix of the source's id and the words of the slots."""
    numbers = _numbers_of(slots)
    for name, used in numbers.items():
        if len(used) > len(lists[name]):
            raise template_error(
                template.place or template.id,
                f"the template takes {len(used)} values of the list {name!r}, which has {len(lists[name])}.",
                "Add values to the list, or use fewer numbers.",
            )
    choices = [list(permutations(lists[name], len(used))) for name, used in numbers.items()]
    keys = [(name, number) for name, used in numbers.items() for number in used]
    for combination in product(*choices):
        values = [value for chosen in combination for value in chosen]
        by_key = dict(zip(keys, values, strict=True))
        yield (
            "".join(f"/{value}" for value in values),
            {slot: write_list(slot, by_key[slot.family, slot.number]) for slot in slots},
        )


def _numbers_of(slots: Iterable[Slot]) -> dict[str, list[int]]:
    """The different numbers of the slots of each family or list, in order."""
    numbers: dict[str, set[int]] = {}
    for slot in slots:
        numbers.setdefault(slot.family, set()).add(slot.number)
    return {name: sorted(used) for name, used in numbers.items()}
