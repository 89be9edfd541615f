"""Names are compared in Unicode's composed form (NFC), wherever they come from; texts stay as they are written."""

from pathlib import Path
from typing import Any
from unicodedata import normalize

import numpy as np
import pandas as pd
import pytest
from command_line import Call

import fairness_checklist as fc
from fairness_checklist.content.term_files import attributes, load_terms, read_terms
from fairness_checklist.content.terms import IdentityTerm
from fairness_checklist.core.errors import TableError, TermError
from fairness_checklist.models.labels import match_labels
from fairness_checklist.models.tag_labels import match_tags

JOSE, RENE, CAFE, OUI, CITY = "Jos\u00e9", "Ren\u00e9e", "caf\u00e9", "cr\u00e9dit", "cit\u00e9"


def apart(text: str) -> str:
    """The same text with its accents as characters of their own."""
    return normalize("NFD", text)


def mixed(*names: str) -> list[str]:
    """Each name in both forms."""
    return [form for name in names for form in (name, apart(name))]


@pytest.fixture
def terms(tmp_path: Path) -> Path:
    """A folder with an attribute whose name and cells are decomposed."""
    path = tmp_path / "identity_terms" / apart(f"{CAFE}.csv")
    path.parent.mkdir()
    rows = f"term,group,pos,lemma\n{JOSE},{CAFE},name,\nAna,{CAFE},name,\n{RENE},{OUI},name,\nMia,{OUI},name,\n"
    path.write_text(apart(rows), encoding="utf-8")
    return path.parent


def test_terms_of_files_options_and_mappings(terms: Path) -> None:
    listed = load_terms(CAFE, terms)
    assert (listed.attribute, listed.groups) == (CAFE, (CAFE, OUI))
    assert [term.term for term in listed.terms] == [JOSE, "Ana", RENE, "Mia"]
    assert CAFE in attributes(terms)
    assert IdentityTerm(apart(JOSE), apart(CAFE)) == IdentityTerm(JOSE, CAFE)
    chosen = listed.select([apart(OUI), apart(CAFE)], [apart(JOSE), RENE], [apart("Ana")])
    assert [term.term for term in chosen.terms] == [JOSE, "Ana", RENE]
    with pytest.raises(TermError, match=f"the term '{JOSE}' appears twice in the group 'a' as name"):
        fc.Suite.from_templates(["{person} left."], {"a": [{"term": form, "pos": "name"} for form in mixed(JOSE)]})
    path = terms / "twice.csv"
    path.write_text(f"term,group\n{JOSE},a\n{apart(JOSE)},b\n", encoding="utf-8")
    with pytest.raises(TermError, match=f"twice.csv:3: the term '{JOSE}' of the group 'b' is already in the group 'a'"):
        read_terms(path)


def test_suites_and_options(terms: Path, call: Call) -> None:
    folder = terms.parent / "templates"
    folder.mkdir()
    sentence = f"{{person}} bought a {apart(CAFE)} in {{{apart(CITY)}}}."
    rows = f"sentence,label,id,except_groups\n{sentence},positive,{apart(OUI)},\n{{person}} sat.,,x,{apart(OUI)}\n"
    (folder / "mine.csv").write_text(rows, encoding="utf-8")
    suite = fc.Suite.build(
        apart(CAFE),
        terms=terms.parent,
        templates=[apart(OUI), str(folder)],
        lists={apart(CITY): ["Lima"]},
        groups=[CAFE, apart(OUI)],
    )
    part = suite.parts[0]
    assert (part.examples.attribute, part.examples.groups) == (CAFE, (CAFE, OUI))
    assert f"{JOSE} bought a {apart(CAFE)} in Lima." in suite.texts()  # the user's text is as written
    options = ("--attribute", apart(CAFE), "--terms", terms.parent, "--templates", f"{OUI},{folder}", "--dry-run")
    lists = terms.parent / "lists"
    lists.mkdir()
    (lists / apart(f"{CITY}.txt")).write_text("Lima\n", encoding="utf-8")
    code, out, err = call("build", *options, "--lists", lists, "--groups", f"{apart(OUI)},{CAFE}")
    assert (code, err, out) == (0, "", "4 texts, 4 of them different.\n")


def prediction_rows() -> dict[str, Any]:
    """Twelve rows in which each name has both forms."""
    return {
        "group": mixed(CAFE, OUI) * 3,
        "term": mixed(JOSE, RENE) * 3,
        "source": [f"{name}{at}" for at in range(3) for name in (CAFE, apart(CAFE)) * 2],
        "lexeme": mixed(JOSE, RENE) * 3,
        "text": [f"{apart(JOSE)} left."] * 12,
        "label": mixed("na\u00eff", "fut\u00e9") * 3,
        "predicted": [apart("na\u00eff"), "fut\u00e9"] * 6,
        apart("p:na\u00eff"): [0.75, 0.25] * 6,
        "p:fut\u00e9": [0.25, 0.75] * 6,
    }


def test_tables(call: Call, tmp_path: Path) -> None:
    frame = pd.DataFrame(prediction_rows())
    result = fc.evaluate(frame, attribute=apart(CAFE), classes=["na\u00eff", apart("fut\u00e9")], draws=0)
    assert set(result.examples["group"]) == {CAFE, OUI}
    assert set(result.examples["term"]) == {JOSE, RENE}
    assert set(result.examples["lexeme"]) == {JOSE, RENE}
    assert set(result.examples["source"]) == {f"{CAFE}{at}" for at in range(3)}
    assert set(result.examples["text"]) == {f"{apart(JOSE)} left."}
    assert set(result.metrics["attribute"]) == {CAFE}
    assert set(result.metrics["class"]) <= {"na\u00eff", "fut\u00e9", "*"}
    assert not [note for note in result.info["notes"][CAFE] if "character encoding" in note]
    by_column = fc.evaluate(frame.rename(columns={"term": apart(OUI)}), group_columns=[OUI], min_cell=1, draws=0)
    assert set(by_column.examples["group"]) == {JOSE, RENE}
    mapped = fc.evaluate(frame, labels={"na\u00eff": "negative", apart("fut\u00e9"): "positive"}, draws=0)
    assert set(mapped.metrics["class"]) <= {"negative", "positive", "*"}
    frame["group"] = pd.Categorical(frame["group"], categories=mixed(OUI, CAFE))
    pairs = fc.evaluate(frame, metrics=["tpr_gap"], draws=0).metrics[["left", "right"]]
    assert set(pairs[pairs["left"] != "*"].itertuples(index=False, name=None)) == {(OUI, CAFE)}
    with pytest.raises(TableError, match="the table has 2 columns named 'p:fut\u00e9'"):
        fc.evaluate(frame.assign(**{apart("p:fut\u00e9"): 0.5}))
    frame.to_csv(tmp_path / "rows.csv", index=False)
    code, out, err = call(
        "evaluate", tmp_path / "rows.csv", "--group-columns", apart("term"), "--min-cell", "1", "--json"
    )
    assert (code, err) == (0, "")
    assert apart(JOSE) not in out.replace(f"{apart(JOSE)} left.", "")


def test_labels_of_models_and_tags() -> None:
    labels = {apart("na\u00eff"): "negative", "fut\u00e9": "positive"}
    assert match_labels(["na\u00eff", apart("fut\u00e9")], ("negative", "positive"), labels).positions == (0, 1)
    event = "\u00c9V\u00c9NEMENT"
    tags = match_tags(["O", apart(f"B-{event}")], ("PER", "MISC"), {event: "MISC"})
    assert (tags.types, tags.mapping) == (("MISC",), {event: "MISC"})
    tokens = ["Ana", "left"]
    table = {"group": ["a", "b"], "tokens": [tokens, tokens], "tags": [[f"B-{event}", "O"]] * 2}
    frame = pd.DataFrame(table | {"predicted": [[apart(f"B-{event}"), "O"]] * 2})
    found = fc.evaluate(frame, task="ner", labels={apart(event): "MISC"}, draws=0).scores
    recall = found[(found["score"] == "true_positive_rate") & (found["class"] == "MISC")]["value"]
    assert np.allclose(recall.dropna(), 1.0)
