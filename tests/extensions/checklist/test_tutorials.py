"""The calls of CheckList's public tutorials 1 to 3, with only the import line changed.

Left out is what needs a masked model (``{mask}``, `suggest`), WordNet, or the sentiment of the package pattern.
"""

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from fairness_checklist.checklist import DIR, INV, MFT, Editor, Expect, Perturb, PredictorWrapper, TestSuite
from fairness_checklist.core.errors import SuiteError

CLERKS = ["baker", "pilot", "tailor", "usher"]


def document(text: str) -> Any:
    """What a perturbation needs of a parsed document: its text."""
    return SimpleNamespace(text=text, __str__=lambda: text)


def praise(texts: list[str]) -> Any:
    """Probabilities of blame and praise, by the words in a text."""
    share = np.array([0.9 if "lovely" in text else 0.2 if "dull" in text else 0.6 for text in texts])
    return np.column_stack([1 - share, share])


# Tutorial 1: templates and lexicons


def test_templates_labels_meta_and_articles() -> None:
    editor = Editor()
    jobs = ["baker", "usher"]
    assert editor.template("He is a {job}.", job=jobs).data == ["He is a baker.", "He is a usher."]
    ret = editor.template("He is {a:job}.", job=jobs, labels=1, meta=True, save=True)
    assert (ret.data, ret.labels) == (["He is a baker.", "He is an usher."], [1, 1])
    assert (ret.meta[1], len(ret.templates)) == ({"job": "usher"}, 1)
    asked = editor.template({"q": "Is he {a:job}?", "c": "He is {a:job}."}, labels="Yes, {a:job}.", job=jobs)
    assert asked.data[1] == {"q": "Is he an usher?", "c": "He is an usher."}
    assert asked.labels[0] == "Yes, a baker."


def test_lexicons_have_the_names_of_checklist() -> None:
    editor = Editor()
    names = "male female first_name first_pronoun last_name country nationality city religion religion_adj sexual_adj"
    assert set(names.split()) <= set(editor.lexicons.keys())
    assert {"Chicago", "Wichita", "St. Louis"} <= set(editor.lexicons.city)
    assert {"Smith", "Keen"} <= set(editor.lexicons.last_name)
    assert re.fullmatch(r"\w+ knows \w+", editor.template("{male} knows {female}").data[0])
    pairs = editor.template("{male1} {male2}", remove_duplicates=True, nsamples=50).data
    assert all(len(set(pair.split())) == 2 for pair in pairs)
    editor.add_lexicon("taste", ["sour", "sweet", "salty"])
    assert editor.template("{taste}, not {taste2}", remove_duplicates=True).data[:2] == [
        "sour, not sweet",
        "sour, not salty",
    ]


# Tutorial 2: perturbations

DATA = [
    "John is a kind neighbour, he lives in Ireland.",
    "Mark Stewart grew up in Chicago",
    "Luke Smith has 3 sisters.",
    "Mary is not a tailor.",
    "Julianne is an usher.",
]


def change_jobs(x: Any, meta: bool = False, *args: Any, **kwargs: Any) -> Any:
    pairs = [(old, new) for old in CLERKS if re.search(rf"\b{old}\b", x) for new in CLERKS if new != old]
    changed = [re.sub(rf"\b{old}\b", new, x) for old, new in pairs]
    return (changed, pairs) if meta else changed


def test_perturb_keeps_the_original_and_samples_and_passes_on_options() -> None:
    ret = Perturb.perturb(DATA, change_jobs, keep_original=True)
    assert [case[0] for case in ret.data] == DATA[3:]
    assert ret.data[0][1:] == ["Mary is not a baker.", "Mary is not a pilot.", "Mary is not a usher."]
    assert Perturb.perturb(DATA, change_jobs, keep_original=False).data[0] == ret.data[0][1:]
    assert len(Perturb.perturb(DATA, change_jobs, False, 1).data) == 1
    told = Perturb.perturb(DATA, change_jobs, keep_original=True, nsamples=1, meta=True)
    assert told.meta[0][0] is None
    assert {old for old, _ in told.meta[0][1:]} < set(CLERKS)


def test_perturbations_take_strings_and_documents() -> None:
    """Under CheckList's names; what they do is tested in `test_perturbations.py`."""
    assert Perturb.perturb(DATA, Perturb.contractions).data == [[DATA[3], "Mary isn't a tailor."]]
    assert Perturb.expand_contractions("What's wrong?") == "What is wrong?"
    assert len(Perturb.perturb(DATA, Perturb.add_typos, nsamples=1).data) == 1
    assert {old for old, _ in Perturb.change_number(DATA[2], n=3, meta=True)[1]} == {"3"}
    [parsed] = Perturb.perturb([document(DATA[2])], Perturb.change_names, n=3).data
    [case] = Perturb.perturb([DATA[2]], Perturb.change_names, n=3).data
    assert [str(text) for text in parsed[1:]] == case[1:]
    assert Perturb.strip_punctuation(document(DATA[2])) == "Luke Smith has 3 sisters"
    texts, about = Perturb.change_location(DATA[1], n=3, meta=True)
    assert texts == [DATA[1].replace("Chicago", new) for _, new in about]
    assert set(dict(map(reversed, about))) < set(Editor().lexicons.city)
    assert [len(case) for case in Perturb.perturb(DATA, Perturb.change_location, n=3, meta=True).data] == [4, 4]
    assert Perturb.change_location("Charlotte met Austin Lincoln.") is None


# Tutorial 3: tests, models, files, expectations


def words_test() -> MFT:
    editor = Editor()
    ret = editor.template("A {adj} {thing}.", adj=["lovely"], thing=CLERKS, labels=1, save=True)
    ret += editor.template("A {adj} {thing}.", adj=["dull", "grim"], thing=CLERKS, labels=0, save=True)
    return MFT(**ret, name="Adjectives", capability="Vocabulary", description="One adjective.")


def test_a_test_is_run_and_summed_up(capsys: pytest.CaptureFixture[str]) -> None:
    predict = PredictorWrapper.wrap_softmax(praise)
    preds, confs = predict(["lovely"])
    assert (preds.tolist(), confs.shape) == ([1], (1, 2))
    assert PredictorWrapper.wrap_predict(lambda texts: ["a"] * len(texts))(["x", "y"])[1].tolist() == [1.0, 1.0]
    test = words_test()
    test.run(predict, n=10)
    test.summary()
    out = capsys.readouterr().out
    assert out.startswith("Predicting 10 examples\nTest cases:      12\nTest cases run:  10\nFails (rate):    ")
    assert re.search(r"Example fails:\n0\.6 A grim \w+\.\n----\n", out)
    with pytest.raises(SuiteError) as caught:
        test.run(praise)
    assert str(caught.value) == "the test 'Adjectives' has results.\n    Replace them: overwrite=True."
    test.run(praise, overwrite=True, verbose=False)
    assert test.get_stats().fails == 4


def test_the_visual_summary_is_a_table_of_failing_cases() -> None:
    test = words_test()
    with pytest.raises(SuiteError):
        test.visual_summary()
    test.run(praise, verbose=False)
    assert test.visual_summary().values.tolist() == [
        [9 + k, f"A grim {job}.", "1", "0"] for k, job in enumerate(CLERKS)
    ]


def test_a_test_is_run_from_a_file_of_predictions(tmp_path: Path) -> None:
    test = words_test()
    test.run(praise, n=5, verbose=False)
    raw = tmp_path / "raw_file.txt"
    test.to_raw_file(raw)
    docs = raw.read_text().splitlines()
    assert docs == test.to_raw_examples() == test.data
    softmax = tmp_path / "softmax.txt"
    softmax.write_text("".join(f"{blame:f} {share:f}\n" for blame, share in praise(docs)))
    test.run_from_file(str(softmax), file_format="softmax", overwrite=True)
    assert test.get_stats().fails == 4
    path = test.save(tmp_path / "test.json")
    assert TestSuite.from_file(path)["Adjectives"].data == test.data


def test_invariance_and_directional_expectations(capsys: pytest.CaptureFixture[str]) -> None:
    dataset = ["A lovely evening with Luke Smith.", "Mary Keen was dull.", "I like it.", "superb."]
    test = INV(**Perturb.perturb(dataset, Perturb.change_names))
    test.run(PredictorWrapper.wrap_softmax(praise), verbose=False)
    assert (test.get_stats().testcases, test.get_stats().fails) == (2, 0)

    add = ["Still, it was dull.", "All in all dull."]
    t = Perturb.perturb(dataset, lambda x: [f"{x} {more}" for more in add])
    test = DIR(**t, expect=Expect.monotonic(label=1, increasing=False, tolerance=0.1))
    test.run(praise, verbose=False)
    assert test.get_stats().fails == 0
    test.set_expect(Expect.single(lambda x, pred, conf, label=None, meta=None: conf.max() > 0.95))
    test.summary()
    assert "Fails (rate):    4 (100.0%)\n\nExample fails:\n" in capsys.readouterr().out

    test = DIR(
        **t, expect=Expect.pairwise(lambda orig_pred, pred, orig_conf, conf, labels=None, meta=None: pred != orig_pred)
    )
    test.run(praise, verbose=False)
    assert test.fail_idxs().tolist() == [0, 1]
