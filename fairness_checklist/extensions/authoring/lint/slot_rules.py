"""Errors in the words around the slots of a template, whatever fills them or by the terms that do."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from fairness_checklist.content.grammar.english_articles import choose
from fairness_checklist.content.grammar.english_nouns import (
    OTHER_WORD_BEFORE,
    bare_word,
    is_plural_noun,
    singulars,
    unfit_before,
)
from fairness_checklist.content.grammar.language import WORDS
from fairness_checklist.content.grammar.languages import DEFAULT
from fairness_checklist.content.slot_forms import SlotText, write
from fairness_checklist.content.slots import Slot, parse
from fairness_checklist.content.templates import Template
from fairness_checklist.content.terms import IdentityTerm
from fairness_checklist.core.errors import InputError
from fairness_checklist.core.sentences import extract_entities
from fairness_checklist.extensions.authoring.lint.patterns import first_match, pattern, words_of
from fairness_checklist.extensions.authoring.lint.sentence_faults import MANY, ONE, number_of_verb

Pieces = Sequence[str | Slot]
Sense = tuple[str, frozenset[str], IdentityTerm]  # what is written, the nouns before which it is another word, the term

INFORMAL = frozenset({"post", "chat"})  # registers that are typed without capitals and full stops
NEXT_SENTENCE = re.compile(r"(?<!\.)[.!?] (?=[^\W\d_])")  # the end of a sentence before another one
_DETERMINERS = frozenset({"a", "an", "the", "my", "your", "our", "its", "their", "every"})
_WHO = re.compile(r",? who (?P<verb>.*)")
_WORDS_BEFORE = 4  # among which a determiner is looked for
_WORDS_OF_PHRASE = 4


@dataclass(frozen=True, eq=False)
class SlotContext:
    """What the words of a template ask of any term."""

    pieces: tuple[str | Slot, ...]  # the words, without marks, and slots; none where the template does not parse
    is_informal: bool  # whether it may lack capitals
    slot_faults: tuple[tuple[str, str], ...]  # see `slot_faults`
    next_phrase: str  # see `next_phrase`
    romance: str  # a romantic or sexual word
    allowed: frozenset[str]  # the rules of sentences that do not hold for it: capital, parse

    @cached_property
    def numbers(self) -> dict[str, set[int]]:
        """The families of its slots, and the numbers of each: 1 and 2 of ``{person1}`` and ``{person2}``."""
        numbers = defaultdict[str, set[int]](set)
        for _at, slot in _slots(self.pieces, every_language=True):
            numbers[slot.family].add(slot.number)
        return numbers

    def is_for(self, template: Template, families: frozenset[str]) -> bool:
        """Whether terms of these families are meant; a template that does not parse is filled to say why."""
        if template.attribute or not self.numbers:
            return True
        return not families.isdisjoint(self.numbers) and ("identity" in families or "identity" not in self.numbers)


def slot_context(template: Template, lists: Sequence[str]) -> SlotContext:
    """What the words of a template ask of any term; ``lists`` are the names of user-defined slots."""
    pieces = literals(template, lists)
    informal = template.register in INFORMAL or is_informal(pieces)
    allowed = {"capital": informal, "parse": "{{" in template.text or "}}" in template.text}
    romance = pattern("romance").search(" ".join(piece for piece in pieces if isinstance(piece, str)))
    return SlotContext(
        pieces,
        is_informal=informal,
        slot_faults=tuple(slot_faults(pieces)),
        next_phrase=next_phrase(pieces) if template.language == DEFAULT else "",
        romance=romance.group() if romance else "",
        allowed=frozenset(rule for rule, is_so in allowed.items() if is_so),
    )


def literals(template: Template, lists: Sequence[str]) -> tuple[str | Slot, ...]:
    """The pieces of a template with the words of its marks, nothing of one that does not parse."""
    try:
        pieces = parse(template.text, template.place, lists, template.language)
    except InputError:
        return ()
    return tuple(extract_entities(piece)[0] if isinstance(piece, str) else piece for piece in pieces)


def is_informal(pieces: Pieces) -> bool:
    """Whether a template is in small letters throughout, as people type: no sentence starts with a capital or ends."""
    if not pieces or not isinstance(pieces[0], str) or not pieces[0][:1].islower():
        return False
    text = "".join(piece if isinstance(piece, str) else "{}" for piece in pieces)
    starts = [text[match.end()] for match in NEXT_SENTENCE.finditer(text)]
    return not any(letter.isupper() for letter in starts) and not text.rstrip().endswith(".")


def next_phrase(pieces: Pieces) -> str:
    """The first phrase that follows directly on the noun of a slot, "" without one."""
    for piece, after in pairwise(pieces):
        if isinstance(piece, Slot) and isinstance(after, str) and (piece.head or piece.part in {"np", "pl"}):
            found = pattern("attachment").match(after)
            if found:
                words = found.group().split()
                return " ".join(words[:_WORDS_OF_PHRASE]) + " ..." * (len(words) > _WORDS_OF_PHRASE)
    return ""


def slot_faults(pieces: Pieces) -> Iterator[tuple[str, str]]:
    """Slots that do not fit their context whatever fills them, as (rule, what is wrong)."""
    for position, slot in _slots(pieces):
        if slot.family == "identity":
            before = _text(pieces[:position])
            yield from _articles(slot, pieces[:position], before)
            yield from _numbers(slot, before)
            yield from _verbs(slot, before, _literal(pieces, position + 1))
        first, _bar, second = slot.form.partition("|")
        if first and second in {f"{first}s", f"{first}es"}:
            yield "agreement", f"{slot.raw} has its forms in the wrong order: the one after 'she' comes first"


def with_senses(terms: Iterable[IdentityTerm]) -> list[Sense]:
    """The terms that have another meaning right before some noun."""
    written = ((term.term if term.pos == "adj" else term.adjective, term) for term in terms if term.pos != "pp")
    senses = ((word, _compounds(word), term) for word, term in written if word)
    return [sense for sense in senses if sense[1] or bare_word(sense[0]) in OTHER_WORD_BEFORE]


def term_faults(
    pieces: Pieces, terms: Collection[IdentityTerm], sensed: Collection[Sense]
) -> Iterator[tuple[str, str]]:
    """Slots whose context does not fit some of the terms that fill them, as (rule, what is wrong)."""
    for position, slot in _slots(pieces):
        after = _literal(pieces, position + 1)
        pronoun = pieces[position - 2] if position > 1 and pieces[position - 1] == " " else None
        if slot.kind == "predicate" and isinstance(pronoun, Slot) and pronoun.form == "they":
            number = {"is": "one", "was": "one", "are": "many", "were": "many"}.get(slot.form)
            if number and (wrong := _of_other_number(terms, "one|many", number)):
                fault = f"{slot.raw} does not agree with the pronoun {pronoun.raw} of {wrong!r}"
                yield "agreement", f"{fault}: write {{A:identity_np}} in place of one of the two"
        if slot.form == "they" and slot.family in {"identity", "person"} and (verb := number_of_verb(after)):
            before = _text(pieces[:position])
            is_subject = pattern("verb before a pronoun").search(before) is None or before.endswith(", and ")
            of_family = [term for term in terms if slot.family in term.families]
            if is_subject and (wrong := _of_other_number(of_family, "1|2", str(verb))):
                fault = f"'{_first_word(after)}' does not agree with the pronoun {slot.raw} of {wrong!r}"
                yield "agreement", f"{fault}: write a choice, such as {{runs|run:{slot.family}}}"
        if slot.kind not in {"pronoun", "choice", "predicate"}:
            next_noun = re.match(r"[ -]([^\W\d_]+(?:['\u2019-][^\W\d_]+)*)", after)
            if noun := slot.head or (next_noun[1] if next_noun and slot.part == "adj" else ""):
                yield from _senses(slot, noun, sensed)


def _of_other_number(terms: Iterable[IdentityTerm], options: str, number: str) -> str:
    """The first term whose pronoun takes the other of two forms, or ""."""
    return next((term.term for term in terms if choose(term.pronouns, options) != number), "")


def _senses(slot: Slot, noun: str, terms: Iterable[Sense]) -> Iterator[tuple[str, str]]:
    """The first term of a slot that has another meaning right before this noun ("black market")."""
    no_noun = re.search(r"(?:ly|ed|ing|ous|ful|able|ible|al|ish|ic|ive)$", noun)  # one more adjective, or a verb
    may_be_unfit = not slot.head and no_noun is None and noun.lower() not in words_of("small word")
    of_noun = singulars(bare_word(noun))
    for words, compounds, term in terms:
        is_other = not compounds.isdisjoint(of_noun)
        fault = f"'{words} {noun}' has another sense" if is_other else unfit_before(words, noun) if may_be_unfit else ""
        if fault and isinstance(write(slot, term), SlotText):
            yield "sense", fault
            return


def _compounds(words: str) -> frozenset[str]:
    """The nouns, in the singular, right before which a term is another word: "black market"."""
    return WORDS.get(f"english before {bare_word(words.rpartition(' ')[2])}", frozenset())


def _slots(pieces: Pieces, *, every_language: bool = False) -> Iterator[tuple[int, Slot]]:
    """The slots that are no lists, with their places; by default the English ones."""
    for position, piece in enumerate(pieces):
        if isinstance(piece, Slot) and not piece.is_list and (every_language or piece.language == DEFAULT):
            yield position, piece


def _literal(pieces: Pieces, position: int) -> str:
    """The literal at a place, "" where a slot or nothing is."""
    piece = pieces[position] if position < len(pieces) else ""
    return piece if isinstance(piece, str) else ""


def _text(pieces: Pieces) -> str:
    return "".join(piece if isinstance(piece, str) else _word_of(piece) for piece in pieces)


def _word_of(slot: Slot) -> str:
    """A slot as a word that a rule may look at: articles and possessives stay, all else is a name."""
    if slot.kind == "article":
        return f"{slot.form} X"
    return slot.form if slot.kind == "pronoun" else "X"


def _number(slot: Slot) -> int:
    """1 of a noun phrase in the singular, 2 in the plural, 0 of any other slot."""
    if slot.part == "pl" or is_plural_noun(slot.head):
        return 2
    return int(slot.part == "np" or bool(slot.head))


def _articles(slot: Slot, pieces: Pieces, before: str) -> Iterator[tuple[str, str]]:
    if _number(slot) == 1 and not slot.form and _bare(pieces):
        name = slot.raw[1:-1][:1].lower() + slot.raw[2:-1]
        yield "article", f"no article comes before {slot.raw}: write {{{'A' if slot.capital else 'a'}:{name}}}"
    word = re.search(r"([\w'\u2019-]+)\s* $", before)
    if slot.kind == "article" and word and word[1].lower() in _DETERMINERS:
        yield "article", f"'{word[1]}' comes before {slot.raw}: two determiners in a row"


def _numbers(slot: Slot, before: str) -> Iterator[tuple[str, str]]:
    if slot.kind not in {"", "article"} or not before.endswith(" "):
        return
    words = re.findall(r"[\w'\u2019-]+|[^\w\s]", before)
    last = words[-1].lower() if words else ""
    if _number(slot) == 1 and last in MANY:
        yield "agreement", f"{slot.raw} comes after '{words[-1]}': write the plural"
    is_number = last == "one" and len(words) > 1 and words[-2].lower() in words_of("numbered")
    if _number(slot) == 2 and last in ONE and not is_number:
        yield "agreement", f"{slot.raw} comes after '{words[-1]}': write the singular"


def _verbs(slot: Slot, before: str, after: str) -> Iterator[tuple[str, str]]:
    """The verb right after a noun phrase that is the subject, or after its "who"."""
    number = _number(slot)
    if not number or slot.part == "adj":
        return
    lead = before + (f"{slot.form} " if slot.kind == "article" and slot.form == "the" else "")
    verb = number_of_verb(after)
    subject = first_match("before a subject", lead) or (number == 2 and pattern("and before a subject").search(lead))
    is_right = number == 1 and first_match("before a verb without ending", before)  # "if she were", "I insist that she"
    if verb and verb != number and subject and not is_right:
        yield "agreement", f"{slot.raw} and '{_first_word(after)}' do not agree"
        return
    who = _WHO.match(after)
    if who and number_of_verb(" " + who["verb"]) not in {0, number} and " one of " not in f" {before.lower()}":
        yield "agreement", f"{slot.raw} and 'who {_first_word(' ' + who['verb'])}' do not agree"


def _first_word(after: str) -> str:
    match = re.match(r"\s*([\w'\u2019]+(?: [\w'\u2019]+)?)", after)
    words = match[1].split(" ") if match else [""]
    return words[0] if number_of_verb(" " + words[0]) else " ".join(words)


def _bare(before: Pieces) -> bool:
    """Whether a noun phrase has no determiner in front of it; where that is doubtful, it has."""
    text = before[-1] if before else ""
    if isinstance(text, Slot):
        return False
    if not text.strip():
        return len(before) < 2
    if text.rstrip()[-1] in ".!?":
        return True
    if not text[-1].isspace() or not (text.rstrip()[-1].isalnum()):
        return False  # after a quote, a colon, a dash, a comma: mentioned or addressed
    words = re.split(r"[.!?;]\s", text)[-1].split()[-_WORDS_BEFORE:]
    if len(words) < 2 and len(before) > 1 and isinstance(before[-2], Slot) and before[-2].form in {"their", "a", "the"}:
        return False
    return not any(_determines(word) for word in words)


def _determines(word: str) -> bool:
    bare = word.strip(",:()\"'").lower()
    return (
        bare in words_of("before a noun")
        or bare in MANY
        or bare[:1].isdigit()
        or re.search(r"['\u2019]s$|s['\u2019]$", word) is not None
    )
