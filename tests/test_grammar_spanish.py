"""Spanish: forms of words, where words meet, and what slots write."""

import csv
import re
from pathlib import Path

from refusals import refusal
from sweep import sweep
from test_docs import codes, page, tables

from fairness_checklist.content.grammar.language import Noun
from fairness_checklist.content.grammar.spanish import Spanish, adjective_forms, noun_gender, plural, singular
from fairness_checklist.content.rendering import unmarked_text
from fairness_checklist.content.slot_forms import SlotText, Unfit, write
from fairness_checklist.content.slots import Slot, parse
from fairness_checklist.content.terms import IdentityTerm
from fairness_checklist.core.errors import TemplateError

WOMAN = IdentityTerm("mujer", "g", pos="noun", adjective="-", pronouns="ella")
TRANS_MAN = IdentityTerm("hombre trans", "g", pos="noun", adjective="trans", pronouns="él")
MAN = IdentityTerm("hombre", "g", pos="noun", adjective="-", pronouns="él")
FATHER = IdentityTerm("padre", "g", pos="noun", plural="-", pronouns="él")
DEAF = IdentityTerm("sordo", "g")
ENBY = IdentityTerm("no binario", "g", pronouns="elle")
PERU = IdentityTerm("el Perú", "g", pos="place", adjective="peruano")
ALEX = IdentityTerm("Álex", "g", pos="name")
INES = IdentityTerm("Inés", "g", pos="name", pronouns="ella")


def slot(text: str) -> Slot:
    one = parse(text, language="es")[-1]
    assert isinstance(one, Slot)
    return one


def written(text: str, term: IdentityTerm) -> str:
    one = write(slot(text), term)
    return f"- {one.reason}" if isinstance(one, Unfit) else one.text


ADJECTIVES = """
sordo/sorda/sorde, rico/rica/rique, amigo/amiga/amigue, andaluz/andaluza/andaluce, trabajador/trabajadora/trabajadore,
francés/francesa/francese, alemán/alemana/alemane, mayor/mayor/mayor, joven/joven/joven, cortés/cortés/cortés,
español/española/españole, feliz/feliz/feliz, budista/budista/budista, marroquí/marroquí/marroquí,
transgénero/transgénero/transgénero, genderqueer/genderqueer/genderqueer
"""


@sweep("forms", [row.strip() for row in ADJECTIVES.replace("\n", " ").split(",")])
def test_an_adjective_has_its_three_forms(forms: str) -> None:
    assert "/".join(adjective_forms(forms.partition("/")[0])) == forms
    assert adjective_forms("actor/actriz/actore") == ("actor", "actriz", "actore")  # forms that are given are kept
    assert adjective_forms("género fluido") == ("género fluido",) * 3


PLURALS = """
hombre de pelo rojo/hombres de pelo rojo, persona de género fluido/personas de género fluido, mujer no binaria/mujeres
no binarias, chica cis/chicas cis, escritor francés/escritores franceses, aficionada al té/aficionadas al té,
hindú/hindúes, enebé/enebés, examen/exámenes, origen/orígenes, tórax/tórax
"""


@sweep(("one", "several"), [pair.strip().split("/") for pair in PLURALS.replace("\n", " ").split(",")])
def test_plurals(one: str, several: str) -> None:
    assert plural(one) == several
    for word in ("actriz", "estudiante", "voz", "canción", "colega", "actor", "madre", "persona"):
        assert singular(plural(word)) == word


@sweep(
    ("noun", "gender"),
    [
        *(("mano", "f"), ("día", "m"), ("noche", "f"), ("ciudad", "f"), ("artista", ""), ("estudiante", "")),
        *(("coche", "m"), ("revista", "f"), ("restaurante", "m"), ("profesional", ""), ("red", "f"), ("policía", "")),
    ],
)
def test_the_gender_of_a_noun(noun: str, gender: str) -> None:
    assert noun_gender(noun) == gender


@sweep(("noun", "definite", "output"), [
    (Noun("agua fría", "f"), True, "el"),
    (Noun("agua", "f"), False, "un"),
    (Noun("asma", "f"), True, "el"),
    (Noun("aguas", "f", True), True, "las"),
    (Noun("escritore", "e"), True, "le"),
    (Noun("escritores", "e", True), False, "unes"),
    (Noun("hombres", "m", True), False, "unos"),
])  # fmt: skip
def test_articles(noun: Noun, definite: bool, output: str) -> None:
    assert Spanish().article(noun, definite=definite) == output


MEETING = """
a el hombre/al hombre, A el hombre/Al hombre, de el Perú/del Perú, de El Salvador/de El Salvador, a él/a él, a ella/a
ella, y hijas/e hijas, Y Irene/E Irene, y hierro/y hierro, y yo/y yo, o Óscar/u Óscar, o hombres/u hombres, o una/o
una
"""


@sweep(("words", "together"), [pair.strip().split("/") for pair in MEETING.replace("\n", " ").split(",")])
def test_where_two_words_meet(words: str, together: str) -> None:
    before, space, after = words.partition(" ")
    assert Spanish().contract(before + space, after) == together


@sweep(("predicate", "forms"), [
    ("usa silla de ruedas", "uso usa usan usaba usaban usar usando"),
    ("vive en un pueblo", "vivo vive viven vivía vivían vivir viviendo"),
    ("bebe té", "bebo bebe beben bebía bebían beber bebiendo"),
    ("tiene el pelo rojo", "tengo tiene tienen tenía tenían tener teniendo"),
    ("está de viaje", "estoy está están estaba estaban estar estando"),
    ("cuenta con un coche", "cuento cuenta cuentan contaba contaban contar contando"),
    ("juega al ajedrez", "juego juega juegan jugaba jugaban jugar jugando"),
])  # fmt: skip
def test_verbs(predicate: str, forms: str) -> None:
    rest = predicate.partition(" ")[2]
    names = ("am", "is", "are", "was", "were", "be", "being")

    assert [Spanish().conjugate(predicate, name) for name in names] == [f"{form} {rest}" for form in forms.split()]


FURTHER = Path(__file__).with_name("slots_es.md").read_text(encoding="utf-8")
SLOT_ROWS = [row for table in tables(page("languages.md") + FURTHER) if "slot" in table[0] for row in table]


@sweep("row", SLOT_ROWS)
def test_a_slot_writes_as_in_the_table_of_the_page(row: dict[str, str]) -> None:
    block = re.search(r"```csv\n(.*?)```", page("languages.md"), re.DOTALL)
    assert block
    terms = {cells["term"]: IdentityTerm(**cells) for cells in csv.DictReader(block[1].splitlines())}
    found = {name: write(slot(codes(row["slot"])[0]), term) for name, term in terms.items()}

    assert {name: "-" if isinstance(one, Unfit) else one.text for name, one in found.items()} == {
        name: cell for name, cell in row.items() if name != "slot"
    }


@sweep(("text", "term", "expected"), [
    ("a {the:identity.escritor|escritora}", TRANS_MAN, "al escritor trans"),
    ("de {the:identity.escritor|escritora}", ENBY, "de le escritore no binarie"),
    ("y {identity.ingenieros|ingenieras}", WOMAN, "e ingenieras"),
    ("¿Y {person}", INES, "Inés"),
    ("¿A {the:identity_np}", TRANS_MAN, "Al hombre trans"),
    ("o {person}", IdentityTerm("Óscar", "g", pos="name"), "u Óscar"),
    ("{the:identity.actor|actriz|actore}", ENBY, "le actore no binarie"),
    ("{a:identity_np} {cansado|cansada:identity}", ENBY, "cansada"),
    ("{the:identity_np} y {them:identity}", ENBY, "y ella"),
    ("{the:identity.escritor|escritora} {cansado|cansada:identity}", ENBY, "cansade"),
    ("{identity_pl}", FATHER, "- 'padre' has no plural of its own"),
    ("{identity.escritores|escritoras}", MAN, "- 'escritores' can mean people of all genders, not 'hombre' alone"),
    ("{identity.escritores|escritoras}", TRANS_MAN, "escritores trans"),
    ("{identity.colegas}", WOMAN, "- 'mujer' adds nothing to 'colegas'"),
    ("{a:identity.escritor|escritora}", DEAF, "- 'sordo' has no grammatical gender"),
    ("{cansado|cansada:person}", ALEX, "- 'Álex' has no grammatical gender"),
    ("{their:person}", ALEX, "su"),
    ("de {the:country}", PERU, "del Perú"),
    ("{a:identity.pasaporte}", PERU, "un pasaporte peruano"),
    ("{a:identity.revista}", PERU, "una revista peruana"),
    ("{a:identity.profesional}", TRANS_MAN, "un profesional trans"),
])  # fmt: skip
def test_what_terms_write(text: str, term: IdentityTerm, expected: str) -> None:
    assert written(text, term) == expected


def test_the_identity_is_marked_at_its_position() -> None:
    assert write(slot("Vi a {the:identity.escritor|escritora}"), TRANS_MAN) == SlotText("al escritor trans", 12, 17)
    assert write(slot("Vi a {the:identity_np}"), TRANS_MAN) == SlotText("al hombre trans", 3, 15)
    assert write(slot("{a:identity.escritor|escritora}"), WOMAN) == SlotText("una escritora", 4, 13)


@sweep(("text", "control"), [
    ("Vi a {the:identity_np}, {cansado|cansada:identity} y {mojado|mojada:identity}.",
     "Vi a la persona, cansada y mojada."),
    ("{A:identity_pl} y {a:identity_np}.", "Unas personas y una persona."),
    ("{A:identity.familia} de aquí.", "Una familia de aquí."),
    ("{A:identity.escritor|escritora}.", None),
    ("Una poeta {identity_adj}.", None),
    ("Ella {is:identity}.", None),
    ("{Person} salió.", None),
])  # fmt: skip
def test_the_control_has_the_noun_persona(text: str, control: str | None) -> None:
    assert unmarked_text(parse(text, language="es")) == control


@sweep(("text", "message"), [
    ("{a|b|c|d:identity}", "t: the choice 'a|b|c|d' of the slot {a|b|c|d:identity} is not two or three words."),
    ("{theirs:identity}", "t: the form 'theirs' of the slot {theirs:identity} is not known.\n    Did you mean"),
    ("{identity.a|b|c|d}", "t: the head 'a|b|c|d' of the slot {identity.a|b|c|d} is not a noun.\n    Write one"),
    ("{cansado|cansada}", "t: the choice {cansado|cansada} has no slot for its pronoun.\n    Write"),
])  # fmt: skip
def test_slots_that_are_wrong(text: str, message: str) -> None:
    assert refusal(TemplateError, parse, text, "t", language="es").startswith(message)
