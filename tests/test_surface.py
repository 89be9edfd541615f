"""Templates as people type them: what changes, what does not, and that it is the same for all groups."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from command_line import caller

import fairness_checklist as fc
from fairness_checklist.content.surface import SURFACES, with_surface
from fairness_checklist.content.templates import Template, load_templates
from fairness_checklist.core.errors import OptionError

ENTITY = Template("n", "[Alex Moore](PER) Didn't Move to {Country}, says {The:country}.", task="ner")


def slots_and_marks(text: str) -> list[str]:
    return [found.lower() for found in re.findall(r"\{[^{}]*\}|\[[^\[\]]*\]\([A-Z]+\)", text)]


@pytest.mark.parametrize("surface", [*([name] for name in SURFACES), list(SURFACES)])
def test_slots_and_entities_stay_and_every_template_changes(surface: list[str]) -> None:
    templates = [*load_templates("sentiment", "gender"), *load_templates("ner", "names")]
    for template in templates:
        made = with_surface(template, surface, 0)
        assert slots_and_marks(made.text) == slots_and_marks(template.text)
        assert made.id == f"{template.id}~{'+'.join(surface)}"
        long = re.search(r"[a-z]{5,}", re.sub(r"\{[^{}]*\}|\[[^\[\]]*\]\([A-Z]+\)", "", template.text))
        assert made.text != template.text or surface == ["casual"] or not long, template.id
        assert (made.label, made.hard, made.register) == (template.label, template.hard, template.register)
        assert made.paraphrase_of.partition("~")[0] == template.paraphrase_of


def test_casual_is_small_letters_contractions_and_no_stop() -> None:
    assert with_surface(ENTITY, ["casual"], 0).text == "[Alex Moore](PER) didn't move to {country}, says {the:country}"
    long = Template("t", "We will not go, it is late and I {am:identity}. That is not what they are for.")
    assert with_surface(long, ["casual"], 0).text == (
        "we won't go, it's late and i {am:identity}. that isn't what they're for"
    )
    assert with_surface(Template("t", "Tell me what it is."), ["casual"], 0).text == "tell me what it is"
    spanish = Template("t", "Hoy {identity_np} no es.", language="es")
    assert with_surface(spanish, ["casual"], 0).text == "hoy {identity_np} no es"


def test_typos_are_one_in_twelve_words_and_spare_negations() -> None:
    text = "Nobody never nothing " + "garden " * 33 + "{a:identity_np}."
    made = with_surface(Template("t", text), ["typos"], 3).text.split()
    changed = [one for one, other in zip(made, text.split(), strict=True) if one != other]
    assert len(changed) == 3
    assert all(sorted(set(word)) == sorted(set("garden")) or len(word) == 5 for word in changed)
    assert made[:3] == ["Nobody", "never", "nothing"]


def test_all_groups_of_a_source_get_the_same_change_and_the_seed_another() -> None:
    options = {"groups": ["women", "men"], "terms": ["woman", "man"], "templates": ["generic"]}
    suite = fc.Suite.build("gender", **options, surface=["typos", "casual"])
    women, men = (suite.to_frame().query(f"term == '{term}'")["text"].tolist() for term in ("woman", "man"))
    assert len(women) == len(men) > 90
    for woman, man in zip(women, men, strict=True):
        as_man = re.sub(r"\bher\b", "his", woman.replace("woman", "man").replace("women", "men"))
        assert re.sub(r"\bshe\b", "he", as_man) == re.sub(r"\bhim\b", "his", man)
    again = fc.Suite.build("gender", **options, surface=["casual", "typos"])
    other = fc.Suite.build("gender", **options, surface=["casual", "typos"], sample_seed=1)
    assert again.texts() == suite.texts() != other.texts()


def test_the_run_records_the_surface_and_a_saved_suite_keeps_it(tmp_path: Path) -> None:
    suite = fc.Suite.build("gender", groups=["women", "men"], templates=["generic-neu-*"], surface="emoji")
    assert suite.parts[0].describe()["surface"] == ["emoji"]
    loaded = fc.Suite.load(suite.save(tmp_path / "suite"))
    assert loaded.parts[0].describe()["surface"] == ["emoji"]
    assert loaded.texts() == suite.texts()
    both = fc.Suite.build("gender", groups=["women", "men"], templates=["generic-neu-*"]) + suite
    assert len(both.texts()) == 2 * len(suite.texts())
    assert "surface" not in fc.Suite.build("gender", groups=["women", "men"]).parts[0].describe()


def test_the_command_line_takes_it_and_names_what_it_knows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    call = caller(monkeypatch, capsys, "build", "--attribute", "gender", "--groups", "women,men")
    assert call("--surface", "casual,typos", "--out", tmp_path / "suite").code == 0
    described = json.loads((tmp_path / "suite" / "suite.json").read_text("utf-8"))
    assert described["parts"][0]["surface"] == ["casual+typos"]
    wrong = call("--surface", "typo", "--out", tmp_path / "other")
    assert wrong.code == 2
    assert wrong.err.splitlines() == [
        "OptionError: the surface 'typo' is not known.",
        "    Did you mean typos? Known: casual, emoji, typos.",
    ]
    with pytest.raises(OptionError, match="the surface 'slang' is not known"):
        fc.Suite.build("gender", surface="slang")
