"""Words, sub-words, unknown tokens and frequencies of terms."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from build_outcomes import THREE, outcomes_of, random_rows

import fairness_checklist as fc
from fairness_checklist.extensions.analyses.mechanisms import term_frequencies, term_values
from fairness_checklist.models.huggingface.alignment import count_subwords, get_tokenizer


def test_terms_are_counted_as_whole_words_in_any_case() -> None:
    lines = ["Deaf people met a DEAF man; deafness was no topic.", "The deaf-blind, and deaf", "people alike."]
    found = term_frequencies(["deaf", "Deaf people", "deaf-blind", "hearing", "?"], lines)

    assert found.count.tolist() == [4, 1, 1, 0, 0]  # "deaf" ends one line and "people" starts the next
    assert found.words == 17
    assert found.per_million[0] == pytest.approx(4e6 / 17)


def test_a_term_is_counted_inside_a_longer_one_and_when_it_repeats_itself() -> None:
    assert term_frequencies(["man", "old man", "man man"], ["an old man man man"]).count.tolist() == [3, 1, 2]


def test_accents_and_other_scripts_are_letters() -> None:
    assert term_frequencies(["José", "женщина"], ["JOSÉ, Jose; Женщина"]).count.tolist() == [1, 1]


def test_an_empty_text_has_no_frequencies() -> None:
    found = term_frequencies(["a"], [])

    assert (found.words, found.count.tolist()) == (0, [0])
    assert math.isnan(found.per_million[0])


def test_the_values_of_terms_are_means_of_their_rows() -> None:
    rows = random_rows(3, classes=THREE, unlabelled=2, weights=True)
    found = term_values(outcomes := outcomes_of(rows, classes=THREE))

    for at, term in enumerate(outcomes.terms):
        own = [row for row in rows if row.term == term and row.label]
        weight = [row.weight for row in own]
        assert found.rows[at] == len(own)
        wrong = [row.predicted != row.label for row in own]
        assert found.errors[at] == pytest.approx(np.average(wrong, weights=weight))
        p_gold = [row.p[THREE.index(row.label)] for row in own]
        assert found.p_gold[at] == pytest.approx(np.average(p_gold, weights=weight))


def test_terms_without_a_label_have_no_values() -> None:
    found = term_values(outcomes_of([row.but(label="") for row in random_rows(3)]))

    assert not found.rows.any()
    assert np.isnan(found.errors).all()
    assert np.isnan(found.p_gold).all()


def test_the_bundled_model_cuts_terms_into_sub_words() -> None:
    tokenizer = get_tokenizer(fc.load_model("bundled", task="sentiment"))
    sizes, unknown = count_subwords(tokenizer, ["woman", "trans woman", "pangender"])

    assert sizes[0] == 1
    assert sizes[1] > sizes[0]
    assert sizes[2] > 1
    assert unknown.tolist() == [0, 0, 0]


class Slow:
    """A tokenizer without offsets: letters are tokens, capitals are unknown."""

    unk_token_id: int | None = 0

    def __call__(self, text: str, **options: Any) -> dict[str, list[int]]:
        return {"input_ids": [0 if letter.isupper() else ord(letter) for letter in text if letter != " "]}


def test_a_tokenizer_without_offsets_is_called_with_and_without_the_term() -> None:
    sizes, unknown = count_subwords(Slow(), ["abc", "a B"])

    assert (sizes.tolist(), unknown.tolist()) == ([3, 2], [0, 1])


@pytest.mark.parametrize("kind", ["byte-level", "word-level"])
def test_a_term_is_read_as_in_a_sentence(kind: str) -> None:
    tokenizers = pytest.importorskip("tokenizers")
    transformers = pytest.importorskip("transformers")
    if kind == "byte-level":
        known = {"Ġman": 0, "m": 1, "a": 2, "n": 3, "t": 4, "h": 5, "e": 6, "Ġ": 7, "Ġm": 8, "an": 9}
        model = tokenizers.models.BPE(vocab=known, merges=[("Ġ", "m"), ("a", "n"), ("Ġm", "an")])
        inner = tokenizers.Tokenizer(model)
        inner.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
        wrapped = transformers.PreTrainedTokenizerFast(tokenizer_object=inner)
        assert wrapped.tokenize("man") != ["Ġman"]
        assert [each.tolist() for each in count_subwords(wrapped, ["man", "ten"])] == [[1, 4], [0, 0]]
    else:
        inner = tokenizers.Tokenizer(tokenizers.models.WordLevel({"[UNK]": 0, "man": 1}, unk_token="[UNK]"))
        inner.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
        wrapped = transformers.PreTrainedTokenizerFast(tokenizer_object=inner, unk_token="[UNK]")
        assert [each.tolist() for each in count_subwords(wrapped, ["man", "old man", "x y"])] == [[1, 2, 2], [0, 1, 2]]


def test_a_callable_has_no_tokenizer() -> None:
    assert get_tokenizer(lambda texts: texts) is None
    assert get_tokenizer(None) is None
