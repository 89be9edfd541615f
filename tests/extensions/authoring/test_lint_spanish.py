"""Spanish: the errors of sentences and terms that are found, and good sentences without any."""

from __future__ import annotations

import pytest

from fairness_checklist.extensions.authoring.lint.sentence_faults import sentence_faults, term_fault


def test_terms_that_look_wrong() -> None:
    assert term_fault("mujeres", "noun", "", "es") == "the noun 'mujeres' looks like a plural: give the singular"
    assert term_fault("mujer", "noun", "", "es") == ""
    assert term_fault("epilepsia", "pp", "", "es") == (
        "the phrase 'epilepsia' does not begin with a preposition: give it as pp, noun or adj as it is used"
    )


# sentences with an error in each, and what is said of it

SEEDED = [
    ("Vi a el hombre de la tienda.", "contraction", "'a el' should be 'al'"),
    ("Es la casa de el vecino.", "contraction", "'de el' should be 'del'"),
    ("Llegaron Marta y Inés.", "contraction", "'y Inés' should be 'e Inés'"),
    ("Son siete o ocho.", "contraction", "'o ocho' should be 'u ocho'"),
    ("Una hombre espera.", "article", "'Una hombre' does not agree"),
    ("Un persona espera.", "article", "'Un persona' does not agree"),
    ("Vi a la amigue de Sara.", "article", "'la amigue' does not agree"),
    ("Vi a los mujeres.", "article", "'los mujeres' does not agree"),
    ("Esperan una personas.", "article", "'una personas' does not agree"),
    ("La agua está fría.", "article", "'La agua' should be 'el agua'"),
    ("Es una persona zurdo.", "agreement", "'zurdo' does not agree with 'persona'"),
    ("Es una persona no binarie.", "agreement", "'no binarie' does not agree with 'persona'"),
    ("Son personas no binarios.", "agreement", "'no binarios' does not agree with 'persona'"),
    ("Qué tal estás?", "punctuation", "¿ and ? are not equally many"),
    ("¿Qué tal estás.", "punctuation", "¿ and ? are not equally many"),
    ("Qué alegría!", "punctuation", "¡ and ! are not equally many"),
    ("Fue al al cine.", "doubled", "'al' appears twice"),
    ("Fue  al cine.", "spacing", "a space too many"),
    ("¿vino ayer?", "capital", "no capital at the start"),
]


@pytest.mark.parametrize(("text", "rule", "message"), SEEDED)
def test_an_error_that_was_put_in_is_found(text: str, rule: str, message: str) -> None:
    assert list(sentence_faults(text, "es")) == [(rule, message)]


@pytest.mark.parametrize(
    "text",
    [
        "La amiga llamó a él y a ella.",
        "El agua y el hielo.",
        "¿Y Inés?",
        "Una persona dijo que no, y otra persona como ella vino.",
        "Las personas transgénero vinieron de El Salvador.",
        "Les amigues y les escritores se fueron.",
        "Los escritores y las escritoras leyeron.",
        "«¿Vienes?», preguntó una persona.",
        "Gracias a unas personas descubrimos el bar.",
        "A una persona lo nuevo le gusta.",
    ],
)
def test_a_sentence_without_errors_has_none(text: str) -> None:
    assert list(sentence_faults(text, "es")) == []
