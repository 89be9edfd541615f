"""What is wrong with a file of templates, and with each template's words, in which marks stand for its slots."""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from functools import cache
from pathlib import Path

from fairness_checklist.content.grammar.languages import DEFAULT
from fairness_checklist.content.slots import Slot
from fairness_checklist.content.templates import Template, read_templates, task_of_file
from fairness_checklist.content.term_files import attributes, load_terms, read_terms
from fairness_checklist.core.locations import data_files, display_path
from fairness_checklist.core.tasks import get_task
from fairness_checklist.extensions.authoring.lint.findings import LintFinding
from fairness_checklist.extensions.authoring.lint.patterns import (
    all_matches,
    capital_missing,
    first_match,
    is_english,
    masked,
    misspelled,
    pattern,
    phrases_in,
    slurs_in,
    words_of,
)
from fairness_checklist.extensions.authoring.lint.slot_rules import NEXT_SENTENCE, SlotContext, slot_context

SINGULAR, PLURAL, ADJECTIVE, NAME, PRONOUN, OTHER = "\x01", "\x02", "\x03", "\x04", "\x05", "\x06"
_MARKS = re.compile("[\x01-\x06]")
_SENTENCES = re.compile(r"(?<=[.!?])\s+")
_INSIDE = re.compile(r"(?:[^\W\d]|[,;}%&])\s*$")
_AFTER_STOP = re.compile(r"(?<!\.)[.!?]\s+$")


def lint_templates(path: Path, lists: Sequence[str], more: Sequence[Path] | None = None) -> Iterator[LintFinding]:
    """The findings about one file of templates; ``more`` are the user's terms."""
    templates, place = read_templates(path), display_path(path)

    @cache
    def words_of_attribute(name: str) -> frozenset[str]:
        """The words of an attribute's terms, with its sets; none where a file is for several or for all."""
        files = tuple(more or ())
        sets = [load_terms(known, files) for known in attributes(files) if known.partition(".")[0] == name]
        return frozenset(
            word for terms in sets for term in terms.terms for word in re.findall(r"\w+", term.term.lower())
        )

    for task in dict.fromkeys(template.task for template in templates if "." not in template.file):
        faults = _balance([template for template in templates if template.task == task])
        yield from (LintFinding(place, "balance", fault) for fault in faults)
    by_id = {template.id: template for template in templates}
    labelled = {template.task for template in templates if template.label}
    for template in templates:
        if not template.label and template.task in labelled:
            yield LintFinding(template.place, "label", "the label is empty, and others of the file have one.")
        if template.rewords and (fault := _paraphrase_fault(template, by_id.get(template.rewords))):
            yield LintFinding(template.place, "paraphrase", fault)
        if template.task != (of_file := task_of_file(path.stem)) and path.stem.startswith(of_file):
            yield LintFinding(template.place, "label", f"{template.label} is no label of {of_file}.")
        name = (template.attribute or path.stem).partition(".")[0] if template.language == DEFAULT else ""
        for rule, fault in _faults(template, slot_context(template, lists), words_of_attribute(name)):
            yield LintFinding(template.place, rule, f"{fault}.")


def _faults(template: Template, context: SlotContext, term_words: Collection[str]) -> Iterator[tuple[str, str]]:
    """What is wrong with the words of a template, as (rule, what is wrong)."""
    if not context.pieces:
        return
    text = "".join(piece if isinstance(piece, str) else _mark(piece) for piece in context.pieces)
    words = "".join(piece if isinstance(piece, str) else "{}" for piece in context.pieces)
    is_english_file, is_tagged = template.language == DEFAULT, get_task(template.task).tagging
    minor = first_match("minor", words)
    if minor and template.label == "toxic":
        yield "minor", f"'{minor.group()}' in a hostile sentence: it must not mention a minor"
    if minor and (romance := first_match("romance", words)):
        both = f"'{minor.group()}' with '{romance.group()}'"
        yield "minor", f"{both}: a romantic or sexual sentence must not mention a minor"
    if pattern("mark without a type").search(words) or (is_tagged and re.search(r"[\[\]]", words)):
        yield "parse", "a bracket is left that marks no entity: write [text](TYPE), without a space"
    if is_tagged and (title := re.search(r"\[(?:Dr|Mrs?|Ms|Prof)\. ", template.text)):
        yield "term", f"the title {title.group()[1:-1]} is no part of a name: write it before the mark"
    if is_english_file and not context.is_informal:
        yield from _capitals(context.pieces)
    for idiom in pattern("idiom").finditer(words) if is_english_file else ():
        if not term_words or re.split(r"[ -]", idiom.group().lower())[0] in term_words:
            yield "sense", f"'{idiom.group()}' has another sense than the word for people: take another"
    plain = _MARKS.sub("{}", text)
    if not is_tagged:
        has_stop = pattern("no stop").search(plain) is None or pattern("end without a stop").search(plain) is not None
        if not context.is_informal and not has_stop:
            yield "stop", "the sentence ends without a full stop"
        if brand := first_match("brand", plain):
            yield "brand", f"'{brand.group()}' is a brand: take a common noun"
    slurs, phrases = tuple(slurs_in(plain)), tuple(phrases_in(plain))
    for slur in slurs:
        if slur.isalnum() or not any(slur in phrase for phrase, _advice in phrases):
            yield "slur", f"'{masked(slur)}' is a slur: no template holds one"
    for phrase, advice in phrases:
        if phrase not in slurs or not phrase.isalpha():
            yield "phrase", f"'{phrase}' is derogatory: reword it ({advice})"
    if is_english_file:
        is_meant = template.kind.startswith("spelling")  # errors are what it tests
        for wrong, right in () if is_meant else misspelled(pattern("quoted").sub(" ", plain), _words_of_terms()):
            if not any(wrong in slur.lower() for slur in slurs):
                yield "spelling", f"'{wrong}' is misspelled: {right}?"
        yield from _english_faults(template, text)


def _mark(slot: Slot) -> str:
    if slot.kind == "predicate":
        return f"{slot.form} {ADJECTIVE}"
    if slot.kind == "choice":
        return slot.form.split("|")[0]
    if slot.is_list or slot.kind == "pronoun":
        return OTHER if slot.is_list else PRONOUN
    if slot.family == "person":
        return NAME
    if slot.part == "pl" or slot.head.endswith("s"):
        return PLURAL
    if slot.part == "np" or slot.head:
        return SINGULAR
    return OTHER if slot.family in {"country", "religion"} and slot.part != "adj" else ADJECTIVE


def _english_faults(template: Template, text: str) -> Iterator[tuple[str, str]]:
    cause = first_match("cause", pattern("identity as a topic").sub("that", text)) if template.symmetric else None
    if cause:
        phrase = _MARKS.sub("...", cause.group().strip(" .,!?"))
        yield "cause", f"the identity is a cause, a concession or an exception: '{phrase}'"
    elif pronoun := pronoun_in(text):  # with a cause the sentence has to be written anew anyway
        yield (
            "pronoun",
            f"'{pronoun}' is written out beside a slot: take the pronoun of the term, such as {{their:identity}}",
        )
    is_toxic = template.label == "toxic"
    spoken = text if is_toxic else pattern("quoted").sub(" ", text)  # to quote a threat is not to make it
    if harm := harm_in(spoken) or (threat_in(spoken) if is_toxic else ""):
        yield "harm", f"'{harm}' wishes harm: take another insult"
    if wrong := first_match("agreement", text):
        yield "agreement", f"'{wrong.group()}' does not agree"
    if typed := first_match("punctuation", text):
        yield "punctuation", f"'{typed.group()}' is mistyped"
    elif text.count('"') % 2:
        yield "punctuation", "a quotation mark is not closed"
    if against := () if template.hard else words_against(spoken, template.label):
        quoted = ", ".join(f"'{word}'" for word in against)
        yield "lexicon", f"{quoted} in a sentence with the label {template.label}: check the label, or mark it as hard"


def _capitals(pieces: Sequence[str | Slot]) -> Iterator[tuple[str, str]]:
    """Slots and words whose first letter is not that of their place, where the place is certain."""
    before = ""
    for piece in pieces:
        if isinstance(piece, Slot):
            is_after_stop = _AFTER_STOP.search(before) and not pattern("abbreviation").search(before.rstrip())
            other_case = "{" + piece.raw[1:].replace(piece.raw[1], piece.raw[1].swapcase(), 1)
            if not piece.kind and piece.family != "identity" and not piece.is_list:
                pass  # a bare name has its capital anyway
            elif piece.capital and _INSIDE.search(before):
                yield "capital", f"{piece.raw} is inside a sentence: write {other_case}"
            elif not piece.capital and is_after_stop:
                yield "capital", f"{piece.raw} comes after a full stop: write {other_case}"
            before += "{}"
            continue
        text = before + piece
        for match in NEXT_SENTENCE.finditer(text, max(len(before) - 2, 0)):
            word = text[match.end() :].split(" ")[0]
            if word[0].islower() and not pattern("abbreviation").search(text[: match.end() - 1]):
                yield "capital", f"'{word}' after a full stop begins with a small letter"
                break
        small = capital_missing(piece) or ("i" if pattern("small i").search(piece) else "")
        if small:
            yield "capital", f"'{small}' is written with a capital"
        before = text


def _balance(templates: Sequence[Template]) -> Iterator[str]:
    """Labels that do not occur equally often in the templates of a task, over all and over those about the same."""
    labels = Counter(template.label for template in templates if template.label)
    if len(set(labels.values())) > 1:
        yield f"the labels are not balanced: {_counts(labels, labels)}."
    elif len(labels) == 1 and len(templates) > 3:
        yield f"all {len(templates)} labels are {next(iter(labels))}: no other error can be measured."
    for about in dict.fromkeys(template.about for template in templates if template.about):
        of_about = Counter(template.label for template in templates if template.about == about)
        if len(labels) > 1 and max(of_about.values()) - min(of_about[label] for label in labels) > 1:
            yield f"the sentences about {about} are not balanced over the labels: {_counts(of_about, labels)}."


def _counts(numbers: Counter[str], labels: Collection[str]) -> str:
    return ", ".join(f"{numbers[label]} {label}" for label in sorted(labels))


def _paraphrase_fault(template: Template, original: Template | None) -> str:
    """What is wrong with the original that a rewording names, or ""."""
    if original is None:
        return f"there is no template {template.rewords}."
    if original is template:
        return "rewords names the template itself."
    if original.rewords:
        return f"{original.id} is a rewording itself, of {original.rewords}: name the original."
    if original.label != template.label:
        return f"its label is not that of {original.id}."
    return f"it is about another than {original.id}." if original.about != template.about else ""


@cache
def _words_of_terms() -> frozenset[str]:
    files = data_files("identity_terms", None, "")
    cells = (f"{row.term} {row.plural} {row.adjective}".lower() for path in files for row in read_terms(path).terms)
    return frozenset(word for text in cells for word in re.findall(r"[^\W\d_]+", text))


def harm_in(text: str) -> str:
    """The first wish of harm in a text, unless the words before it refuse it; "" without one."""
    for rule, _match in all_matches("harm", text):
        for harm in rule.regex.finditer(text):
            if not pattern("harm refused").search(text[: harm.start()]):
                return _MARKS.sub("...", harm.group().strip())
    return ""


def threat_in(text: str) -> str:
    """The violence, death or illness that a text which attacks somebody wishes, orders or announces; "" without it."""
    for sentence in _SENTENCES.split(text):
        plain = pattern("threat harmless").sub(" ", sentence)
        threat = first_match("threat of violence", plain)
        is_meant = first_match("threat meant", plain) or pattern("threat as an order").match(plain)
        if threat and is_meant and first_match("threat at somebody", plain):
            return "" if pattern("harm refused").search(plain[: threat.start()]) else threat.group()
    return ""


def words_against(text: str, label: str) -> tuple[str, ...]:
    """The words of feeling in a text when they contradict its label: all of them do, and nothing turns their sense."""
    if label == "nontoxic":
        insult = first_match("insulted", text)
        return (_MARKS.sub("...", insult.group()),) if insult else ()
    if label not in {"positive", "negative", "neutral", "toxic"} or re.search(r"\?", text):
        return ()
    if first_match("feeling turned", text):
        return ()
    written = re.findall(r"(?<![\w-])[a-z]+(?:-[a-z]+)?(?![\w-])", text[:1].lower() + text[1:])
    mild = words_of("mild") if label == "neutral" else frozenset()  # neutral sentences hold these, too
    good, bad = (tuple(word for word in written if word in words_of(kind) - mild) for kind in ("positive", "negative"))
    if good and bad:
        return ()
    return {"positive": bad, "negative": good, "neutral": good or bad, "toxic": good}[label]


_MID_NAME = re.compile(r"(?<=[\w,;] )(?!I\b)[A-Z][\w'\u2019-]+")
_STARTS = re.compile(r"(?:^|[.!?:\"\u201c] ?)([A-Z][\w\u2019'-]+)")
_FRONT = 12  # characters: a slot that far from the start is the subject


def pronoun_in(text: str) -> str:
    """The first pronoun that is written out where the term's own belongs, not that of somebody else; "" without one."""
    word = pattern("gendered word for the person").search(text)
    if word:
        return word.group().strip("\x01, ").split()[-1]
    gendered, both = pattern("gendered pronoun"), pattern("pronoun of both")
    if SINGULAR not in text and NAME not in text:
        before, mark, after = text.partition(ADJECTIVE)
        match = gendered.search(both.sub(" ", after)) if mark and pattern("role").search(before) else None
        return match.group() if match and not _has_antecedent(text) and not gendered.search(before) else ""
    match = both.search(text)
    if match:
        return match.group()
    match = gendered.search(text)
    if match:
        is_of_another = _has_antecedent(text) or pattern("pronoun of another person").match(text)
        return "" if is_of_another else match.group()
    for sentence in _SENTENCES.split(text):
        they = pattern("pronoun of they").search(sentence)
        before = sentence[: they.start()] if they else ""
        slot = before.find(SINGULAR if SINGULAR in before else NAME)
        if they and 0 <= slot < _FRONT and not pattern("several people").search(before):
            return they.group()
    return ""


def _has_antecedent(text: str) -> bool:
    if first_match("gendered noun", text) or first_match("animal with a pronoun", text):
        return True
    if any(match.group() not in words_of("date") for match in _MID_NAME.finditer(text)):
        return True
    starts = [match[1].removesuffix("'s").removesuffix("\u2019s") for match in _STARTS.finditer(text)]
    starts = [word for word in starts if word not in words_of("date")]
    # of "my neighbor" the writer knows who it is
    return any(word == "My" or word in _first_names() or not is_english(word.lower()) for word in starts)


@cache
def _first_names() -> frozenset[str]:
    files = [path for path in data_files("identity_terms", None, "") if path.stem.startswith(("names", "neutral"))]
    return words_of("first name") | {
        term.term for path in files for term in read_terms(path).terms if term.pos == "name"
    }
