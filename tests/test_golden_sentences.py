"""A fixed choice of rendered sentences, pinned so that a change of them is read: see build_golden_sentences.py."""

import re
from collections import Counter

import build_golden_es as golden_es
import build_golden_sentences as golden
import pytest

from fairness_checklist.content.templates import read_templates
from fairness_checklist.content.term_files import attributes, load_terms, read_terms
from fairness_checklist.core.locations import data_files


@pytest.fixture(scope="module")
def written() -> list[str]:
    return str(golden.GOLDEN.read_text(encoding="utf-8")).splitlines()


def test_what_is_rendered_is_what_was_read(written: list[str]) -> None:
    assert golden.sentences() == written, "read what changed, then: python tests/build_golden_sentences.py"


def test_every_template_and_every_group_is_in_it(written: list[str]) -> None:
    shown = Counter(line.partition(" ")[0] for line in written if not line.startswith("#"))
    assert {one.id for path in data_files("templates") for one in read_templates(path)} == shown.keys()
    blocks = "\n".join(written).split("# ")
    for name in attributes():
        [block] = [one for one in blocks if one.startswith(f"{name}\n")]
        missing = [group for group in load_terms(name).select().groups if f"[{group}: " not in block]
        assert missing == [], name


def test_no_dispreferred_term_is_in_it(written: list[str]) -> None:
    terms = [term for path in data_files("identity_terms") for term in read_terms(path).terms]
    kept_out = {f": {term.term}]" for term in terms if term.status == "dispreferred"}
    used = {f": {term.term}]" for term in terms if term.status != "dispreferred"}
    assert [line for line in written if any(mark in line for mark in kept_out - used)] == []


def test_spanish_sentences_are_those_that_were_read_and_hold_every_template_and_term() -> None:
    """``python tests/build_golden_es.py`` writes the file anew; read what has changed in it."""
    read = golden_es.GOLDEN.read_text(encoding="utf-8")
    assert golden_es.sentences() == read.splitlines()
    for path in data_files("templates", language="es"):
        assert all(f"{template.id} [" in read for template in read_templates(path)), path
    for name in attributes(language="es"):
        for term in load_terms(name, language="es").select().terms:
            assert re.search(rf"\[{term.term}(?: \(\w+\))?\]", read), term.term
