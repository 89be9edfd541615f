"""The slot language: ``{ form : slot . head }`` parsed into literals and slots; errors suggest a correction."""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from fairness_checklist.content.grammar.language import BE_FORMS, PRONOUN_FORMS, SHORT_FORMS, Grammar
from fairness_checklist.content.grammar.languages import DEFAULT, get
from fairness_checklist.core.did_you_mean import did_you_mean
from fairness_checklist.core.errors import TemplateError
from fairness_checklist.core.option_defaults import nfc
from fairness_checklist.core.sentences import encode_marks

ARTICLES = ("a", "the")
KNOWN_SLOTS = (
    "identity_adj", "identity_np", "identity_pl", "identity",
    "person", "country", "country_adj", "religion", "religion_adj",
)  # fmt: skip
_FORMS = (*ARTICLES, *BE_FORMS, *PRONOUN_FORMS)
_NAME = re.compile(r"(identity|person|country|religion)([1-9]\d*)?(?:_([a-z]+))?")
_HEAD = re.compile(r"[^\W\d_]+(?:['\u2019-][^\W\d_]+)*")
_PARTS = {"identity": ("adj", "np", "pl"), "person": (), "country": ("adj",), "religion": ("adj",)}


@dataclass(frozen=True)
class Slot:
    """One slot of a template."""

    raw: str  # as written, with its braces
    family: str  # identity, person, country, religion, or the name of a list of the user's
    number: int = 0  # the digits that distinguish several slots, 0 without
    part: str = ""  # "", adj, np or pl
    head: str = ""  # the noun that is written with the term ("writer"), or ""
    form: str = ""  # "", an article (a, the), a predicate (is, ...), a pronoun (they, ...) or a choice ("runs|run")
    capital: bool = False  # whether what is written starts with a capital
    is_list: bool = False
    language: str = DEFAULT
    before: str = ""  # a small word in front that changes with what is written (Spanish "a " and "el" make "al")
    of_phrase: bool = False  # of a pronoun or choice: *una persona no binaria* agrees with *persona*

    @property
    def kind(self) -> str:
        """The kind of the form: "", article, predicate, pronoun or choice."""
        if "|" in self.form:
            return "choice"
        if self.form in ARTICLES:
            return "article"
        if self.form in BE_FORMS or self.form in SHORT_FORMS:
            return "predicate"
        return "pronoun" if self.form else ""


def template_error(place: str, message: str, remedy: str) -> TemplateError:
    return TemplateError(message, place=place, remedy=remedy)


def parse(text: str, place: str = "", lists: Collection[str] = (), language: str = DEFAULT) -> tuple[str | Slot, ...]:
    """The literals and slots of a template's text, in order."""
    return _parse(text, place, tuple(lists), get(language).code)


@lru_cache(maxsize=8192)  # a template is parsed for each attribute that fills it
def _parse(text: str, place: str, lists: tuple[str, ...], language: str) -> tuple[str | Slot, ...]:
    grammar = get(language)
    literals, slots = [""], list[Slot]()
    position = 0
    while position < len(text):
        character = text[position]
        if character not in "{}" or text[position + 1 : position + 2] == character:
            literals[-1] += character
            position += 1 if character not in "{}" else 2
            continue
        if character == "}":
            message = f"the brace }} at character {position + 1} closes nothing: {text!r}."
            raise template_error(place, message, "Write }} for a brace in the text.")
        end, inner = text.find("}", position), text.find("{", position + 1)
        if end < 0 or 0 <= inner < end:
            message = f"the brace {{ at character {position + 1} is never closed: {text!r}."
            raise template_error(place, message, "Close the slot with }, or write {{ for a brace in the text.")
        before = grammar.contractible_end(literals[-1])
        literals[-1] = literals[-1].removesuffix(before)
        slots.append(replace(_slot(text[position + 1 : end], place, lists, grammar), before=before))
        literals.append("")
        position = end + 1
    if grammar.genders:
        slots = [_with_antecedent(slot, slots, position) for position, slot in enumerate(slots)]
    if "](" in text:  # the entities in the literals become marks
        literals = encode_marks(literals, [slot.is_list for slot in slots], place)
    return tuple(piece for piece in in_turn(literals, slots) if piece != "")


def _with_antecedent(slot: Slot, slots: Sequence[Slot], position: int) -> Slot:
    """A pronoun or choice that knows whether the last slot before it, or the first after, is a noun phrase."""
    if slot.kind not in {"pronoun", "choice"}:
        return slot
    nouns = [
        (place, noun)
        for place, noun in enumerate(slots)
        if (noun.part or noun.head) and (noun.family, noun.number) == (slot.family, slot.number)
    ]
    before = [noun for place, noun in nouns if place < position]
    nearest = before[-1] if before else nouns[0][1] if nouns else slot
    return replace(slot, of_phrase=nearest.part in {"np", "pl"})


def in_turn(literals: Sequence[str], slots: Sequence[Slot]) -> tuple[str | Slot, ...]:
    """Literals and the slots between them, which are one fewer, in turn."""
    return (literals[0], *(piece for pair in zip(slots, literals[1:], strict=True) for piece in pair))


def split_pieces(pieces: Iterable[str | Slot]) -> tuple[list[str], list[Slot]]:
    """The slots and the literals around them, which are one more; "" where no words are."""
    literals, slots = [""], list[Slot]()
    for piece in pieces:
        if isinstance(piece, Slot):
            slots.append(piece)
            literals.append("")
        else:
            literals[-1] += piece
    return literals, slots


def check_list_names(lists: Collection[str]) -> None:
    """Raise `TemplateError` for a list with a name that a slot cannot have or that is built in."""
    for name in lists:
        if re.fullmatch(r"[^\W\d]\w*", name) is None:
            raise TemplateError(
                f"the list {name!r} cannot be used in a slot.",
                remedy="A list's name starts with a letter and has letters, digits and _ only.",
            )
        if _NAME.fullmatch(name) or name in _FORMS:
            raise TemplateError(f"the list {name!r} has the name of a built-in slot.", remedy="Choose another name.")


def _slot(inside: str, place: str, lists: Collection[str], grammar: Grammar) -> Slot:
    raw = f"{{{inside}}}"
    if not inside.strip():
        remedy = f"Write {{identity_np}} or another slot; known: {_known(lists)}."
        raise template_error(place, f"the slot {raw} is empty.", remedy)
    closed_up = re.sub(r"\s+", "", inside)
    if closed_up != inside:
        remedy = f"Write {{{closed_up}}}, or {{{{ and }}}} for braces in the text."
        raise template_error(place, f"the slot {raw} has a space in it.", remedy)
    capital = inside[0].isupper()
    is_list = not {nfc(inside), re.sub(r"[1-9]\d*$", "", nfc(inside))}.isdisjoint(lists)
    plain = inside if is_list or not capital else inside[0].lower() + inside[1:]
    form, colon, name = plain.rpartition(":")
    if colon and not form:
        raise template_error(place, f"the slot {raw} has an empty form.", f"Write {{{name}}}.")
    if not colon and "|" in (name.partition(".")[0] if grammar.genders else name):
        remedy = f"Write {{{inside}:identity}} or {{{inside}:person}}."
        raise template_error(place, f"the choice {raw} has no slot for its pronoun.", remedy)
    name, dot, head = name.partition(".")
    slot = _named(Slot(raw, "", head=head, form=form, capital=capital, language=grammar.code), nfc(name), place, lists)
    heads, most = head.split("|"), grammar.choices[1] if grammar.genders else 1
    if dot and (len(heads) > most or not all(map(_HEAD.fullmatch, heads))):
        remedy = "Write one word of letters: {identity.writer}, {a:identity.co-worker}."
        raise template_error(place, f"the head {head!r} of the slot {raw} is not a noun.", remedy)
    _check_form(slot, name, place, grammar)
    return slot


def _named(slot: Slot, name: str, place: str, lists: Collection[str]) -> Slot:
    """The slot with its family, number and part; the name is known or that of a list."""
    stem = name if name in lists else re.sub(r"[1-9]\d*$", "", name)
    if stem in lists:
        return replace(slot, family=stem, number=int(name[len(stem) :] or 0), is_list=True)
    match = _NAME.fullmatch(name)
    if match and (match[3] is None or match[3] in _PARTS[match[1]]):
        return replace(slot, family=match[1], number=int(match[2] or 0), part=match[3] or "")
    prefix = f"{slot.form}:" if slot.form else ""
    hint = did_you_mean(name, [*KNOWN_SLOTS, *lists], f"{{{{{prefix}{{}}}}}}")
    raise template_error(place, f"the slot {slot.raw} is not known.", f"Known slots: {_known(lists)}.{hint}")


def _known(lists: Collection[str]) -> str:
    others = f"your lists {', '.join(lists)}" if lists else "a list of your own"
    return f"{', '.join(KNOWN_SLOTS)}, or {others}"


def _check_form(slot: Slot, name: str, place: str, grammar: Grammar) -> None:
    """Raise `TemplateError` where form, part and head do not go together."""
    if slot.kind == "choice":
        options = slot.form.split("|")
        if not grammar.choices[0] <= len(options) <= grammar.choices[1] or ":" in slot.form or not any(options):
            number, remedy = "two", f"{{runs|run:{name}}}: what comes after she or he, then what comes after they."
            if grammar.genders:
                where = "the masculine, the feminine, and where no rule makes it the form in -e."
                number, remedy = "two or three", f"{{cansado|cansada:{name}}}: {where}"
            message = f"the choice {slot.form!r} of the slot {slot.raw} is not {number} words."
            raise template_error(place, message, f"Write {remedy}")
    short = tuple(SHORT_FORMS) if grammar.code == DEFAULT else ()
    forms = (*ARTICLES, *BE_FORMS, *short, *grammar.pronoun_forms)
    if slot.kind != "choice" and slot.form and slot.form not in forms:
        hint = " The article is chosen by sound: write a." if slot.form == "an" else did_you_mean(slot.form, forms)
        message = f"the form {slot.form!r} of the slot {slot.raw} is not known."
        raise template_error(place, message, f"Known forms: {', '.join(forms)}, or a choice runs|run.{hint}")
    reason = _misfit(slot)
    if reason:
        raise template_error(place, f"the slot {slot.raw} {reason[0]}.", reason[1])


def _misfit(slot: Slot) -> tuple[str, str] | None:
    """What is wrong with a slot in which all names are known, and what to write instead."""
    bare = not slot.part and not slot.head
    number = str(slot.number or "")
    name = f"{slot.family}{number}"
    if slot.head and (slot.family != "identity" or slot.part):
        return "cannot have a head", f"Only identity takes one: {{identity{number}.{slot.head}}}."
    if slot.is_list:
        if slot.kind not in {"", "article"}:
            return f"cannot have the form {slot.form!r}", f"A list takes a and the: {{a:{name}}}."
    elif slot.kind in {"pronoun", "choice"}:
        if not bare or slot.family not in {"identity", "person"}:
            return f"cannot have the form {slot.form!r}", f"Write {{{slot.form}:person}} or {{{slot.form}:identity}}."
    elif slot.kind == "predicate":
        if slot.family != "identity" or not bare:
            noun = f"{slot.form} {{a:{name}.{slot.head}}}" if slot.head else f"{{{slot.form}:identity}}"
            noun = noun if slot.family == "identity" else f"{{{name}}} {slot.form}"
            return f"cannot have the form {slot.form!r}", f"A predicate takes the bare term: write {noun}."
    elif slot.family == "identity" and bare:
        return (
            "needs a form or a head" if not slot.form else f"needs a head with the form {slot.form!r}",
            f"Write {{{name}_adj}}, {{{name}_np}}, {{a:{name}_np}}, {{{name}.writer}} or {{is:{name}}}.",
        )
    elif slot.form == "a" and (
        (slot.part == "pl" and not get(slot.language).genders) or (slot.family != "identity" and bare)
    ):
        return "cannot have the article 'a'", f"Write {{{name}{'_pl' if slot.part else ''}}}."
    elif slot.form == "the" and slot.family == "person":
        return "cannot have the article 'the'", f"Write {{{name}}}."
    return None
