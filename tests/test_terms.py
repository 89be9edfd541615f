"""Identity terms: files as people write them, choices from a list, and what is refused."""

from pathlib import Path

import pytest
from refusals import refusal
from sweep import sweep

from fairness_checklist.content.term_files import attributes, load_neutral, load_terms, read_terms, terms_from_mapping
from fairness_checklist.content.terms import FLAGS, IdentityTerm, TermList
from fairness_checklist.core.errors import OptionError, TermError


def write(path: Path, text: str, encoding: str = "utf-8") -> Path:
    path.write_bytes(text.encode(encoding))
    return path


def refused(path: Path) -> str:
    return refusal(TermError, read_terms, path).replace(str(path), path.name)


HEALTH = """term,group,pos,status,predicate
deaf,deaf,,preferred,
with epilepsy,epilepsy,,,has epilepsy
wheelchair user,wheelchair users,,,
deaf and dumb,deaf,,dispreferred,
"""


def test_a_file_with_empty_cells_is_completed_by_rule(tmp_path: Path) -> None:
    terms = read_terms(write(tmp_path / "health.csv", HEALTH))

    assert terms.attribute == "health"
    assert terms.groups == ("deaf", "epilepsy", "wheelchair users")
    assert [term.pos for term in terms.terms] == ["adj", "pp", "noun", "adj"]
    assert [term.status for term in terms.terms] == ["preferred", "accepted", "accepted", "dispreferred"]
    assert terms.terms[1].place == f"{tmp_path}/health.csv:3"
    assert terms.families == {"identity"}
    assert terms.of_group("epilepsy") == (terms.terms[1],)


@sweep("encoding", ["utf-8", "utf-8-sig"])
@sweep("separator", [",", ";", "\t"])
@sweep("newline", ["\n", "\r\n"])
def test_files_from_spreadsheets_are_the_same(tmp_path: Path, encoding: str, separator: str, newline: str) -> None:
    plain = read_terms(write(tmp_path / "health.csv", HEALTH))
    text = HEALTH.replace(",", separator).replace("\n", newline) + separator * 4 + newline

    assert read_terms(write(tmp_path / "health.csv", text, encoding)) == plain


REFUSED = [
    ("", "x.csv: the file is empty.\n    Its first line names the columns:"),
    ("term,group\n", "x.csv: the file holds no term.\n    Add a row: term,group."),
    ("term,note\n", "x.csv:1: the column 'group' is missing.\n    The first line names the columns; these must"),
    ("term,group,plurals\n", "x.csv:1: the column 'plurals' is not known.\n    Did you mean plural? Known"),
    ("term,group\ndeaf\n", "x.csv:2: the row has 1 cells; expected 2: term,group.\n    Put a cell that holds"),
    ('term,group\na,b\n"deaf,deaf\n', "x.csv:3: the row does not parse: unexpected end of data.\n    Put a cell"),
    ("term,group,pos\ndeaf,deaf,adjective\n", "x.csv:2: the pos 'adjective' of 'deaf' is not known.\n    Known:"),
    ("term,group,status\ndeaf,deaf,prefered\n", "x.csv:2: the status 'prefered' of 'deaf' is not known."),
    ("term,group,pronouns\ndeaf,deaf,xe/xem\n", "x.csv:2: the pronouns 'xe/xem' are not known.\n    Write she,"),
    ("term,group\ndeaf,everyone\n", "x.csv:2: the group 'everyone' has a name that the result tables use."),
    ("term,group\ndeaf,a\nhearing,b\ndeaf,b\n",
     "x.csv:4: the term 'deaf' of the group 'b' is already in the group 'a' (x.csv:2)."),
    ("term,group\ndeaf,a\ndeaf,a\n", "x.csv:3: the term 'deaf' appears twice in the group 'a' as adj (x.csv:2)."),
]  # fmt: skip


def test_bad_files_are_refused_with_file_and_line(tmp_path: Path) -> None:
    for text, message in REFUSED:
        assert refused(write(tmp_path / "x.csv", text)).startswith(message)
    assert refused(write(tmp_path / "x.csv", "term,group\na,a\nélevé,b\n", "latin-1")) == (
        'x.csv:3: the file is not UTF-8.\n    Save it as "CSV UTF-8" (in Excel: Save as, CSV UTF-8).'
    )
    assert refused(tmp_path / "y.csv") == "y.csv: the file cannot be read: No such file or directory."


@pytest.fixture
def health() -> TermList:
    rows = [("deaf", "d"), ("Deaf", "d"), ("hearing", "h"), ("deaf and dumb", "d"), ("crazy", "c"), ("mad", "c")]
    status = dict.fromkeys(("deaf and dumb", "crazy", "mad"), "dispreferred")
    return TermList("health", tuple(IdentityTerm(t, g, status=status.get(t, "accepted")) for t, g in rows))


def test_dispreferred_terms_are_used_only_by_name(health: TermList) -> None:
    def chosen(**options: object) -> list[str]:
        return [term.term for term in health.select(**options).terms]  # type: ignore[arg-type]

    assert chosen(groups=["h", "d"]) == ["deaf", "Deaf", "hearing"]
    assert chosen(groups=["d"], include_terms=["deaf and dumb"]) == ["deaf", "Deaf", "deaf and dumb"]
    assert chosen(terms=["mad", "hearing"]) == ["hearing", "mad"]
    assert chosen(groups=["d", "h"], max_terms=1) == ["deaf", "hearing"]
    assert chosen(groups=["d"], max_terms=1, include_terms=["deaf and dumb"]) == ["deaf", "deaf and dumb"]


@sweep(("options", "message"), [
    ({}, "health: the group 'c' is left without a term.\n    Its terms are dispreferred or not among those"),
    ({"groups": ["d", "hearin"]}, "health: the group 'hearin' is not known.\n    Groups: d, h, c."),
    ({"terms": ["haering"]}, "health: the term 'haering' is not known.\n    Did you mean hearing? Terms: deaf,"),
    ({"groups": ["d", "h"], "terms": ["deaf"]}, "health: the group 'h' is left without a term.\n    Its terms"),
])  # fmt: skip
def test_choices_that_cannot_be_met(health: TermList, options: dict[str, object], message: str) -> None:
    assert refusal(TermError, health.select, **options).startswith(message)


def test_a_users_file_extends_and_replaces_the_shipped_one(tmp_path: Path) -> None:
    ours = load_terms("gender")
    woman = next(term for term in ours.terms if term.term == "woman")
    rows = f"woman,{woman.group},noun,is a woman\nquillgender,quill,,\n"
    write(tmp_path / "gender.csv", f"term,group,pos,predicate\n{rows}")
    extended = load_terms("gender", extra=tmp_path)

    assert extended.groups == (*ours.groups, "quill")
    assert len(extended) == len(ours) + 1
    assert [term.predicate for term in extended.terms if term.term == "woman"] == ["is a woman"]
    assert load_terms("gender", extra=tmp_path / "gender.csv") == extended


def test_terms_in_memory_take_the_shipped_rows_of_their_spelling() -> None:
    terms = terms_from_mapping(
        "mine", {"a": ["woman", "with epilepsy", "purple"], "b": [IdentityTerm("deaf", ""), {"term": "with a cane"}]}
    )
    woman = next(term for term in load_terms("gender").terms if term.term == "woman")

    assert [term.term for term in terms.terms] == ["woman", "with epilepsy", "purple", "deaf", "with a cane"]
    assert [term.group + " " + term.pos for term in terms.terms] == ["a noun", "a pp", "a adj", "b adj", "b pp"]
    assert terms.terms[0].pronouns == woman.pronouns == "she"


@sweep(("mapping", "message"), [
    ({}, 'mine: no terms are given.\n    Give them by group: {"deaf": ["deaf"], ...}.'),
    ({"a": []}, "mine: the group 'a' has no term.\n    Give at least one."),
    ({"a": [{"term": "x", "plurl": "y"}]}, "mine, group a: the field 'plurl' of a term is not known.\n    Did"),
    ({"a": [{"pos": "adj"}]}, 'mine, group a: a term has no field \'term\'.\n    Add "term": "...".'),
    ({"a": [3]}, 'mine, group a: 3 is not a term.\n    Give a string, an IdentityTerm or a dictionary: {"term":'),
    ({"a": ["&"]}, "the term '&' holds no letter or digit.\n    Write the words that mention the group, or remove the"),
    ({"a": ["purple"], "b": ["purple"]}, "the term 'purple' of the group 'b' is already in the group 'a'."),
])  # fmt: skip
def test_terms_in_memory_that_are_refused(mapping: dict[str, list[object]], message: str) -> None:
    assert refusal(TermError, terms_from_mapping, "mine", mapping).startswith(message)


def test_the_neutral_fills_are_there_and_no_attribute() -> None:
    assert set(load_neutral().groups) == {"person", "country", "religion"}
    assert "neutral" not in attributes()
    with pytest.raises(OptionError):
        load_terms("neutral")


@sweep(("cell", "shown", "name", "at"), [
    ("wo\u200bman", "'wo\\u200bman'", "U+200B (ZERO WIDTH SPACE)", 3),
    ("\ufeffwoman", "'\\ufeffwoman'", "U+FEFF (ZERO WIDTH NO-BREAK SPACE)", 1),
    ("woman\u202e", "'woman\\u202e'", "U+202E (RIGHT-TO-LEFT OVERRIDE)", 6),
    ("wo\nman", "'wo\\nman'", "U+000A (a line break)", 3),
    ("wo\0man", "'wo\\x00man'", "U+0000 (NUL)", 3),
    ("wo\u3164man", "'wo\u3164man'", "U+3164 (HANGUL FILLER)", 3),
    ("wo\ue000man", "'wo\\ue000man'", "U+E000 (a private character)", 3),
])  # fmt: skip
def test_characters_that_do_not_show_are_refused(tmp_path: Path, cell: str, shown: str, name: str, at: int) -> None:
    remedy = "    Remove it: it does not show in a sentence, and a model reads it."
    path = tmp_path / "gender.csv"
    for what, row in (("term", f'"{cell}",women'), ("group", f'adult,"{cell}"')):
        path.write_text(f"term,group\nman,men\n{row}\n", encoding="utf-8", newline="")
        message = f"{path}:3: the {what} {shown} holds {name} at character {at}.\n{remedy}"
        assert refusal(TermError, read_terms, path) == message
        with pytest.raises(TermError):
            terms_from_mapping("gender", {"men": ["man"], cell: [cell]})
    message = refusal(TermError, terms_from_mapping, "gender", {"men": [{"term": "man", "plural": cell}]})
    assert message == f"the plural {shown} holds {name} at character {at}.\n{remedy}"
    for term in ("女性", "می‌خوانم", "👩‍💻", "❤️ fan", "50+", "co\u2011worker", "ça"):  # show, or join what does
        assert terms_from_mapping("any", {"a": [term], "b": ["man"]}).terms[0].term == term


def test_flags_are_read_in_any_case_and_unknown_ones_refused(tmp_path: Path) -> None:
    path = tmp_path / "age.csv"
    path.write_text('term,group,flags,note\nchild,young,"Minor, thin",\nteen,young,,minor; thin\n', encoding="utf-8")
    first, second = read_terms(path).terms
    assert [first.has_flag(flag) for flag in FLAGS] == [False, False, True, False, False, True, False]
    assert not any(second.has_flag(flag) for flag in FLAGS)

    path.write_text("term,group,flags\nchild,young,minr\n", encoding="utf-8")
    assert refusal(TermError, read_terms, path) == (
        f"{path}:2: the flag 'minr' of 'child' is not known.\n"
        "    Did you mean minor? Known flags: ambiguous, contested, minor, reclaimed, role, thin, variant, with a "
        "space between two. Free text belongs in the column note."
    )
