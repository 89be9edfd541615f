"""Audit of a corpus, figures by term, balancing and the mitigation loop, as in Dixon et al. 2018."""

import json
import re
import sys
from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from command_line import Call
from golden import golden_figures
from hypothesis import given, settings
from hypothesis import strategies as st
from refusals import refusal
from scipy import stats
from sklearn.metrics import roc_auc_score

import fairness_checklist as fc
import fairness_checklist.extensions.corpora.audit as audit_module
from fairness_checklist.content.term_files import load_terms
from fairness_checklist.content.term_forms import term_forms
from fairness_checklist.extensions.corpora.audit import ALL, audit
from fairness_checklist.extensions.corpora.exact_tests import skew_p_values
from fairness_checklist.extensions.corpora.inputs import ATTRIBUTES
from fairness_checklist.extensions.corpora.mitigation import (
    add_balancing_texts,
    additions_needed,
    augmented,
    random_control,
    sample_to_label,
)
from fairness_checklist.extensions.corpora.mitigation_loop import (
    ARMS,
    LabelledTexts,
    identity_phrases,
    mitigation_loop,
    train_text_model,
)
from fairness_checklist.extensions.corpora.term_bias_and_pinned_auc import compare_runs, term_bias
from fairness_checklist.extensions.corpora.term_mentions import MentionFinder, mentioned_terms
from fairness_checklist.statistics.exact_bounds import share_interval


def test_the_figures_of_the_scored_phrases(shared_data: Path) -> None:
    """To 1e-6; the other areas of Borkan et al. 2019 are in test_dixon."""
    figures = golden_figures("dixon")["scored_phrases"]
    scored = pd.read_csv(shared_data / "dixon" / "scored_phrases.csv")
    terms = list(figures["terms"])
    held = mentioned_terms(scored["phrase"].tolist(), terms)
    for options, pinned in (({"background": "whole"}, "pinned_auc_weighted_D"), ({}, "pinned_auc_weighted_bg")):
        found = term_bias(scored["score"], scored["toxicity"] == "toxic", held, terms, grid=101, **options)  # type: ignore[arg-type]
        assert found.threshold == figures["eer_threshold"]
        total = figures[pinned.replace("auc", "auc_ed")]
        whole = (found.fpr, found.fnr, found.auc, found.fped, found.fned, found.pinned_auc_equality_difference)
        expected = [*(figures[key] for key in ("fpr", "fnr", "overall_auc", "fped", "fned")), total]
        assert whole == pytest.approx(expected, rel=0, abs=1e-6)
        for column in ("n", "fpr", "fnr", "subgroup_auc", "pinned_auc"):
            key = pinned if column == "pinned_auc" else column
            each = [term[key] for term in figures["terms"].values()]
            np.testing.assert_allclose(found.table[column], each, rtol=0, atol=1e-6)


def test_areas_and_rates_are_those_of_scikit_learn_and_of_counting() -> None:
    rng = np.random.default_rng(3)
    score, label, own = rng.integers(0, 6, 40) / 5, rng.random(40) < 0.4, rng.random(40) < 0.3
    for background, others in (("whole", np.arange(40)), ("without", np.flatnonzero(~own))):
        found = term_bias(score, label, own[:, None], ["x"], threshold=0.5, background=background).table.iloc[0]
        rows = [*np.flatnonzero(own), *others]
        weight = np.array([1 / own.sum()] * own.sum() + [1 / len(others)] * len(others))
        expected = roc_auc_score(label[rows], score[rows], sample_weight=weight)
        assert found["pinned_auc"] == pytest.approx(expected, abs=1e-12)
        assert found["subgroup_auc"] == pytest.approx(roc_auc_score(label[own], score[own]), abs=1e-12)
        assert found["fpr"] == (score >= 0.5)[own & ~label].mean()
        assert found["fnr"] == (score < 0.5)[own & label].mean()


def test_the_threshold_is_of_the_general_set_or_of_the_phrases_and_one_class_is_undefined() -> None:
    score, label, held = [0.1, 0.3, 0.6, 0.9], [0, 0, 1, 1], [[True]] * 4
    general = ([0.2, 0.7, 0.8, 0.95], [0, 0, 1, 1])
    alone, other = term_bias(score, label, held, ["x"]), term_bias(score, label, held, ["x"], general=general)

    assert (alone.threshold, other.threshold, other.general_auc) == (0.6, 0.8, 1)
    assert np.isnan(alone.general_auc)
    found = term_bias([0.1, 0.9, 0.4], [0, 1, 0], [[True], [False], [False]], ["x"], threshold=0.5)
    assert found.table[["fnr", "subgroup_auc", "pinned_auc"]].isna().all(axis=None)
    assert (found.fped, found.fned, found.pinned_auc_equality_difference) == (0, 0, 0)


def test_tables_4_and_5_are_means_over_runs_and_pairs() -> None:
    held = np.array([[True], [True], [False], [False]])
    runs = {
        name: [term_bias([x, 0.6, 0.7, y], [1, 0, 1, 0], held, ["x"], threshold=0.65) for x, y in each]
        for name, each in {"baseline": [(0.9, 0.9), (0.1, 0.1)], "balanced": [(0.9, 0.1), (0.9, 0.1)]}.items()
    }
    table = compare_runs(runs).set_index(["model", "figure"])
    fped = [one.fped for one in runs["baseline"]]

    assert fped == [0.5, 0.0]
    assert table.loc[("baseline", "fped"), "mean"] == 0.25
    assert table.loc[("baseline", "fped"), "sum_over_runs"] == 0.5
    row = table.loc[("balanced", "fped")]
    interval = stats.ttest_1samp([-0.5, 0.0], 0).confidence_interval()
    assert (row["difference"], row["ci_low"], row["ci_high"]) == pytest.approx((-0.25, interval.low, interval.high))


SENSES = [
    ("He's straight.", "straight", True, True),
    ("gay, straight or bisexual men", "straight", True, True),
    ("the White House", "white", True, False),
    ("German Jewish refugees came", "german", True, True),
    ("the rich and famous", "rich", True, True),
    ("Go straight home", "straight", True, False),
    ("the straightest line", "straight", False, False),
    ("the black dress", "black", True, False),
    ("Being black is hard", "black", True, True),
    ("a blind date", "blind", True, False),
    ("the developmentally disabled are many", "disabled", True, True),
    ("Native Americans", "native", True, True),
    ("the rich smell", "rich", True, False),
    ("middle-eastern", "eastern", True, True),
]


def test_whole_words_in_any_case_and_their_sense() -> None:
    for text, term, plain, sense in SENSES:
        assert mentioned_terms([text], [term]).tolist() == [[plain]], text
        assert mentioned_terms([text], [term], senses=True).tolist() == [[sense]], text


TERMS = ["gay", "African American", "African", "deaf", "hard-of-hearing", "women's", "ß", "a", "İ"]
WORDS = [*TERMS, "GAYS", "gay_", "women\u2019s", "deaf-", "x", "SS", "american", ".", "African\u00a0 American"]
GAPS = [" ", "", "\n", "  ", "-"]
FORMS = {"gay": ["gays"], "deaf": ["gays", "the deaf"]}


def search(text: str, spelt: str) -> bool:
    """The plain implementation: a pattern for each way of writing a term."""
    parts = spelt.casefold().replace("\u2019", "'").split()
    folded = text.casefold().replace("\u2019", "'")
    return re.search(r"(?<!\w)" + r"\s+".join(map(re.escape, parts)) + r"(?!\w)", folded) is not None


@settings(max_examples=100, deadline=None)
@given(st.lists(st.lists(st.tuples(st.sampled_from(WORDS), st.sampled_from(GAPS)), max_size=8), max_size=4))
def test_the_mentions_are_those_of_one_search_a_term(drawn: list[list[tuple[str, str]]]) -> None:
    texts = ["".join(word + gap for word, gap in words) for words in drawn]
    wanted = [[any(search(text, one) for one in (term, *FORMS.get(term, ()))) for term in TERMS] for text in texts]
    assert mentioned_terms(texts, TERMS, forms=FORMS).tolist() == wanted
    rows, terms = MentionFinder(TERMS, forms=FORMS).find(texts)
    assert rows.tolist() == sorted(rows.tolist())
    pairs = [(row, term) for row, held in enumerate(wanted) for term, found in enumerate(held) if found]
    assert sorted(zip(rows.tolist(), terms.tolist(), strict=True)) == pairs


def test_each_form_of_the_shipped_terms_belongs_to_one_term() -> None:
    for attribute in ATTRIBUTES:
        terms = [one for one in load_terms(attribute).terms if one.status != "dispreferred"]
        forms = term_forms(terms)
        written = [one.casefold() for name, several in forms.items() for one in (name, *several)]
        assert len(set(written)) == len(written)
        assert {one.term.casefold() for one in terms} <= set(written)
    assert term_forms(load_terms("age").terms)["older adult"] == ("older adults",)  # "older" alone is another word
    # a form that is a term itself counts for that term only
    assert mentioned_terms(["women"], ["woman", "women"], forms={"woman": ["women"]}).tolist() == [[False, True]]


PARTS = (("gay ", "x" * 30, 6), ("a gay one ", "y" * 60, 4), ("tea ", "z" * 30, 30), ("milk ", "w" * 60, 60))
CORPUS = [start + rest for start, rest, times in PARTS for _ in range(times)]
LABELS = [*["toxic"] * 5, "no", *["toxic"] * 3, "no", *["toxic"] * 10, *["no"] * 20, *["toxic"] * 12, *["no"] * 48]


def test_table_1_and_figure_1() -> None:
    found = audit(CORPUS, LABELS, ["gay", "absent"])
    row = found.terms.iloc[0]
    fisher = stats.fisher_exact([[8, 2], [22, 68]])

    assert (found.n, found.n_positive, found.repeated) == (100, 30, 96)
    assert (row["share_of_positive"], row["share_of_all"], row["share"]) == (8 / 30, 0.1, 0.8)
    assert row["odds_ratio_low"] > 1
    assert row["skew"] == "more"
    assert 0 < fisher.pvalue <= row["p_value"] <= 2.001 * fisher.pvalue
    buckets = found.buckets.set_index(["term", "bucket"])
    assert buckets.loc[("gay", "20-59"), ["n", "n_positive"]].tolist() == [6, 5]
    assert buckets.loc[(ALL, "60-119"), ["n", "n_positive"]].tolist() == [64, 15]
    assert found.terms.iloc[1][["n", "skew"]].tolist() == [0, ""]
    assert np.isnan(found.terms.iloc[1]["odds_ratio"])
    assert found.sentence().startswith(
        "30 % of 100 texts are toxic. Of 1 term found, 1 is in texts that are clearly more"
    )
    assert len(found.sentence().split()) <= 40
    once = audit(CORPUS, LABELS, ["gay"], distinct=True)
    assert (once.n, once.repeated) == (8, 4)  # each of the four texts has both labels


def test_the_records_of_an_audit() -> None:
    texts, labels = [*CORPUS, "rare tea", *["x oak"] * 8], [*LABELS, "toxic", *["toxic"] * 5, *["no"] * 3]
    found = audit(texts, labels, ["gay", "tea", "rare", "oak", "absent"])
    by_subject = {one.subject: one for one in found.findings}

    assert [one.subject for one in found.findings[:2]] == ["all terms", "gay"]
    statuses = {"gay": "clear", "oak": "none found", "tea": "none found", "rare": "too few to say"}
    assert {name: one.status for name, one in by_subject.items() if name != "all terms"} == statuses
    row = found.terms.iloc[0]
    gay = by_subject["gay"]
    assert (gay.value, gay.p_adjusted, gay.n) == (row["odds_ratio"], row["p_adjusted"], 10)
    assert gay.statement == (
        "gay: 80 % of 10 texts are toxic (95 % interval 44 to 98 %), clearly more often than other texts."
    )
    # no labels of one text could be clear, and those of eight could
    n, k = found.n, found.n_positive
    assert stats.fisher_exact([[1, 0], [k - 1, n - k]]).pvalue * 4 > 0.05
    assert 2 * stats.hypergeom(n, k, 8).sf(7) * 4 < 0.05
    assert found.findings[0].statement == found.sentence()


def test_exact_bounds_are_those_of_scipy(monkeypatch: pytest.MonkeyPatch) -> None:
    for k, n in ((0, 9), (3, 9), (9, 9)):
        low, high = share_interval([k], [n])
        exact = stats.binomtest(k, n).proportion_ci()
        assert (low[0], high[0]) == pytest.approx((exact.low, exact.high), abs=1e-12)
    assert skew_p_values([4], [5], 8, 20)[0] == pytest.approx(2 * stats.hypergeom(20, 8, 5).sf(3))
    quick = audit_module._odds_ratio(2_500, 9_000, 20_000, 60_000)  # with many texts that of the logarithm
    monkeypatch.setattr(audit_module, "_MANY", 10**9)
    exact_ratio = audit_module._odds_ratio(2_500, 9_000, 20_000, 60_000)
    np.testing.assert_allclose(quick, exact_ratio, rtol=1e-3)
    assert quick != exact_ratio


def test_the_texts_needed_are_the_fewest_that_meet_the_prior() -> None:
    rows = additions_needed(audit(CORPUS, LABELS, ["gay", "one", "tea"])).to_dict("records")
    assert {row["term"] for row in rows} == {"gay", "one", "tea"}
    assert {(row["bucket"], row["prior"]) for row in rows} == {("20-59", 15 / 36), ("60-119", 15 / 64)}
    for row in rows:
        n, k, p = int(row["n"]), int(row["n_positive"]), Fraction(row["prior"]).limit_denominator(10**6)
        assert row["negative"] == next(m for m in range(10**4) if Fraction(k, n + m) <= p)


def test_texts_are_drawn_until_the_pool_runs_dry_and_come_with_their_origin() -> None:
    found = audit(CORPUS, LABELS, ["gay"])
    pool = [f"gay {number} " + "u" * 30 for number in range(3)] + ["tea leaf"] * 9
    pool += [f"a gay {number} " + "v" * 70 for number in range(40)]
    added, again = (
        add_balancing_texts(found, CORPUS, [*pool, CORPUS[0]], label="no", exclude=[pool[0]]) for _ in range(2)
    )
    assert added.table.equals(again.table)
    plan = added.plan.set_index("bucket")

    assert plan.loc["20-59", ["negative", "added", "missing"]].tolist() == [6, 2, 4]
    assert plan.loc["60-119", ["negative", "added", "missing"]].tolist() == [9, 9, 0]
    assert plan.loc["60-119", "share_after"] <= plan.loc["60-119", "prior"]
    assert set(added.table["text"]) <= set(pool[1:])
    assert added.sentence() == (
        "11 texts added for 2 buckets (term and length); a text counts for each term in it. The pool ran dry for 1 "
        "bucket: of 15 needed 4 are missing."
    )
    whole = augmented(CORPUS, LABELS, added.table, pool="pool.csv")
    tail = whole.tail(11)
    assert [pool[row] for row in tail["row"]] == tail["text"].tolist()
    assert whole["origin"].value_counts().to_dict() == {"corpus": 100, "pool.csv": 11}
    control = random_control(len(added), CORPUS, pool, label="no")
    assert len(set(control["text"])) == len(added)
    sample = sample_to_label(added.table, 5)
    assert sample.columns.tolist() == ["pool_row", "text", "label"]
    assert set(sample["text"]) < set(added.table["text"])


def counting_fit(seen: list[int]) -> Callable[..., Callable[[Sequence[str]], np.ndarray]]:
    """A model whose score is the share of positive training texts with any word of the text."""

    def fit(texts: Sequence[str], positive: Sequence[bool], *, seed: int) -> Callable[[Sequence[str]], np.ndarray]:
        seen.append(len(texts))
        counts: dict[str, list[bool]] = {}
        for text, yes in zip(texts, positive, strict=True):
            for word in set(text.lower().split()):
                counts.setdefault(word, []).append(yes)

        def score(asked: Sequence[str]) -> np.ndarray:
            known = [[np.mean(counts[w]) for w in text.lower().rstrip(".").split() if w in counts] for text in asked]
            return np.array([np.mean(one) if one else 0.3 for one in known]) + 1e-9 * seed

        return score

    return fit


def test_the_loop_balances_and_reduces_false_positives() -> None:
    """A model that counts words: balanced terms get nearer to the others, the control changes nothing for them."""
    rows = [(f"{term} hate {at}", "toxic") for term in ("gay", "black") for at in range(20)]
    rows += [(f"you hate {at}", "toxic") for at in range(40)] + [(f"you love {at}", "nontoxic") for at in range(120)]
    rows += [(f"white love {at}", "nontoxic") for at in range(20)]
    texts, labels = [text for text, _ in rows], [label for _, label in rows]
    test = LabelledTexts(["you hate", "you love", "unheard of", "we love"], ["toxic", "nontoxic"] * 2)
    pool = [f"{word} tea {number}" for word in ("gay", "black") for number in range(99)]
    pool += [f"tea {number}" for number in range(999)]
    phrases = pd.DataFrame(
        [(f"{term} {word}", label, term, word) for term in ("gay", "black", "white") for word, label in
         (("hate", "toxic"), ("love", "nontoxic"))],
        columns=["text", "label", "term", "template"],
    )  # fmt: skip
    seen: list[int] = []
    found = mitigation_loop(
        LabelledTexts(texts, labels), test, pool, phrases, terms=["black"], seeds=(1, 2), fit=counting_fit(seen)
    )

    assert set(found.additions.plan["term"]) == {"black"}
    assert found.additions.plan["missing"].sum() == 0
    assert seen == [220, 220 + len(found.additions), 220 + len(found.additions)] * 2
    assert {arm: len(each) for arm, each in found.runs.items()} == dict.fromkeys(ARMS, 2)
    score = {arm: each[0].table.set_index("term")["fpr"].to_dict() for arm, each in found.runs.items()}
    assert score["baseline"] == {"gay": 1.0, "black": 1.0, "white": 0.0}
    assert score["balanced"]["black"] == 0.0
    assert score["balanced"]["gay"] == 1.0
    assert score["random control"] == score["baseline"]
    assert len(found.sentence().split()) <= 40
    (first,) = found.findings
    record = (first.statement, first.measure, first.status, first.n)
    assert record == (found.sentence(), "difference of FPED", "clear", 2)


def test_the_small_network_learns_by_its_seed_alone_with_scikit_learn(monkeypatch: pytest.MonkeyPatch) -> None:
    texts, labels = ["good tea"] * 80 + ["bad tea"] * 80, [False] * 80 + [True] * 80
    state = np.random.get_state()[1].tolist()
    first, second, other = (train_text_model(texts, labels, seed=seed)(["good", "bad"]) for seed in (1, 1, 2))

    assert first[0] < 0.5 < first[1]
    assert first.tolist() == second.tolist() != other.tolist()
    assert np.random.get_state()[1].tolist() == state
    monkeypatch.setitem(sys.modules, "sklearn.neural_network", None)
    needed = r'needs scikit-learn, .*\n    pip install "fairness-checklist\[corpora\]"'
    with pytest.raises(fc.errors.MissingExtraError, match=needed):
        train_text_model(["a", "b"], [True, False], seed=1)


def test_phrases_of_any_terms_and_templates() -> None:
    templates, labels = ["{identity_pl} are gross.", "I am {a:identity_np}."], ["toxic", "nontoxic"]
    suite = fc.Suite.from_templates(templates, {"x": ["deaf", "middle eastern"]}, task="toxicity", label=labels)
    assert len(identity_phrases(suite)) == 4
    assert set(identity_phrases(suite, single_words=True)["term"]) == {"deaf"}


def write_corpus(folder: Path) -> None:
    rng = np.random.default_rng(1)
    words = ["tea", "milk", "the", "day", "night", "house"]
    texts = [" ".join(rng.choice(words, 6)) + f" {at}" for at in range(300)]
    texts = [f"gay {text}" if at < 30 else text for at, text in enumerate(texts)]
    labels = ["2" if at < 27 or at % 4 == 0 else "0" for at in range(300)]
    pd.DataFrame({"tweet": texts, "class": labels}).to_csv(folder / "corpus.csv", index=False)
    more = [f"gay {' '.join(rng.choice(words, 6))} pool {at}" for at in range(200)]
    pd.DataFrame({"tweet": more}).to_csv(folder / "pool.csv", index=False)


INDEPENDENT = "Texts are taken as independent: several of one author, or repeats, make the intervals too narrow."
COLUMNS = ("--text-column", "tweet", "--label-column", "class", "--positive", "2")


def test_audit_prints_an_answer_and_writes_tables(call: Call, tmp_path: Path) -> None:
    write_corpus(tmp_path)
    said = call("audit", "corpus.csv", *COLUMNS, "--terms", "gay,deaf", "--pool", "pool.csv", "--out", "out")

    assert (said.code, said.err) == (0, "")
    first, independent, second, assumed, last = said.out.splitlines()
    assert independent == INDEPENDENT
    assert first.startswith(
        "32 % of 300 texts are 2. Of 1 term found, 1 is in texts that are clearly more often 2: gay (93 % of 30, 95 %"
    )
    assert second.endswith("Each bucket meets the prior.")
    assert assumed == (
        "The added texts are assumed to be 0: label the sample label_sample.csv by hand before you rely on it."
    )
    assert last.startswith(f"Tables in {Path('out')}: added_texts.csv, ")
    assert all(len(line.split()) <= 40 for line in (first, second))
    tables = "added_texts augmented_corpus findings label_sample length_buckets needed_texts terms"
    assert sorted(path.stem for path in (tmp_path / "out").glob("*.csv")) == tables.split()
    said = call("audit", "corpus.csv", *COLUMNS, "--terms", "gay", "--json")
    assert json.loads(said.out)["terms"][0]["n_positive"] == 28
    said = call("audit", "corpus.csv", *COLUMNS, "--terms", "gay", "--tables")
    assert "odds_ratio" in said.out


WRONG_CALLS: list[tuple[tuple[str, ...], str]] = [
    (("--terms", "gay"),
     "TableError: corpus.csv: there is no column text.\n    Its columns are tweet, class. Name it: --text-column, "
     "--label-column.\n"),
    ((*COLUMNS[:-1], "9", "--terms", "gay"),
     "OptionError: an audit needs texts of the class 9 and others; the labels are 2, 0.\n"
     "    Name the positive class: --positive ...\n"),
    ((*COLUMNS, "--terms", "nowhere.txt"),
     "TermError: there is no file nowhere.txt.\n    Give a text file with one term on each line.\n"),
    ((*COLUMNS, "--terms", "gay", "--attribute", "age"),
     "OptionError: --attribute and --terms both give terms.\n    Leave out one of the two.\n"),
    ((*COLUMNS, "--terms", "gay", "--pool", "odd.csv"),
     "TableError: odd.csv: there is no column tweet.\n    Its columns are body. Give the texts the name that they have "
     "in the corpus.\n"),
]  # fmt: skip
ERRORS: list[tuple[Callable[[], object], str]] = [
    (lambda: mentioned_terms(["a"], ["woman"], forms={"man": ["men"]}),
     "forms= has the term 'man', which is not among terms=.\n    Add it, or remove it."),
    (lambda: mentioned_terms(["a"], ["woman", "Woman"]),
     'terms= has 2 terms of which 1 are different and not empty.\n    Give each term once: terms=["gay", "middle '
     'eastern"].'),
    (lambda: audit([None, "a"], ["x", "y"], ["gay"]),  # type: ignore[list-item]
     'texts= must be strings, one a text.\n    Drop empty rows, or write [""] for them.'),
    (lambda: audit(["a"], [], ["gay"]), "0 labels for 1 texts.\n    Give one label a text."),
    (lambda: additions_needed(audit(CORPUS, LABELS, ["gay"]), terms=["tea"]),
     "tea is no term of the audit.\n    Audit the corpus with it first."),
    (lambda: term_bias([0.1, 0.9], [0, 1], [[True]], ["x"]),
     "held= has the shape (1, 1) for 2 texts and 1 terms.\n"
     "    Give one row a text and one column a term: mentioned_terms(texts, terms)."),
    (lambda: compare_runs({}), "the models have {} runs.\n    Give as many runs of each model, one at least."),
]  # fmt: skip


def test_wrong_input_of_audit(call: Call, tmp_path: Path) -> None:
    write_corpus(tmp_path)
    (tmp_path / "odd.csv").write_text("body\nhello\n", encoding="utf-8")
    for arguments, message in WRONG_CALLS:
        said = call("audit", "corpus.csv", *arguments, "--out", "out")
        assert (said.code, said.out, said.err) == (2, "", message)
        assert not (tmp_path / "out").exists()
    for wrong, message in ERRORS:
        assert refusal(fc.errors.OptionError, wrong) == message


def test_mitigate_prints_tables_4_and_5(call: Call, tmp_path: Path) -> None:
    write_corpus(tmp_path)
    arguments = ("--pool", "pool.csv", "--attribute", "sexual_orientation", "--seeds", "2")
    said = call("mitigate", "corpus.csv", *COLUMNS, *arguments, "--tables", "--out", "out")

    assert said.code == 0, said.err
    assert said.out.split(". ")[0] in ("Too few runs to say", "Clear change")
    assert len(said.out.splitlines()[0].split()) <= 40
    assert "\nmodels\n" in said.out
    records = pd.read_csv(tmp_path / "out" / "findings.csv", keep_default_na=False)
    assert records.loc[0, "measure"] == "difference of FPED"
    assert records.loc[0, "statement"] == said.out.splitlines()[0]
    assert set(pd.read_csv(tmp_path / "out" / "models.csv")["model"]) == set(ARMS)


def test_forms_of_terms_count(call: Call, tmp_path: Path) -> None:
    rows = [("two women", "toxic"), ("one woman", "no"), ("some tea", "no"), ("bears", "no"), ("a bear", "toxic")]
    pd.DataFrame(rows, columns=["text", "label"]).to_csv(tmp_path / "c.csv", index=False)
    (tmp_path / "own.csv").write_text("term,group,pos\nbear,animals,noun\n", encoding="utf-8")
    (tmp_path / "words.txt").write_text("gay\nbears\n", encoding="utf-8")
    for named, counted in (
        (("--attribute", "gender"), {"woman": 2}),
        (("--terms", "woman,bear"), {"woman": 1, "bear": 1}),
        (("--terms", "own.csv"), {"bear": 2}),
        (("--terms", "words.txt"), {"bears": 1}),
    ):
        answer = json.loads(call("audit", "c.csv", *named, "--json").out)
        assert {row["term"]: row["n"] for row in answer["terms"] if row["n"]} == counted
    call("audit", "c.csv", "--attribute", "gender", "--out", "out")
    assert pd.read_csv(tmp_path / "out" / "terms.csv").set_index("term").loc["woman", "forms"] == "women"


def test_a_folder_gives_the_same_audit(call: Call, tmp_path: Path) -> None:
    write_corpus(tmp_path)
    whole = pd.read_csv(tmp_path / "corpus.csv", dtype=str)
    (tmp_path / "parts").mkdir()
    whole.head(120).to_parquet(tmp_path / "parts" / "a.parquet")
    whole.tail(180).to_json(tmp_path / "parts" / "b.jsonl", orient="records", lines=True)
    options = (*COLUMNS, "--terms", "gay,deaf", "--json")
    alone = call("audit", "corpus.csv", *options)
    assert (alone.code, alone.err) == (0, "")
    assert call("audit", "parts", *options).out == alone.out


def test_odds_ratios_within_sets_are_those_of_mantel_and_haenszel(call: Call) -> None:
    """Against sums written out, set by set; the test's p is that of Cochran, Mantel and Haenszel."""
    rng = np.random.default_rng(8)
    names = rng.choice(["low", "mid", "high", "empty"], 900, p=[0.4, 0.3, 0.2, 0.1])
    base = pd.Series({"low": 0.1, "mid": 0.3, "high": 0.6, "empty": 0.0})[names].to_numpy()
    held = rng.random(900) < np.where(names == "low", 0.5, 0.1)
    toxic = (rng.random(900) < np.minimum(base * np.where(held, 1.6, 1.0), 1)) & (base > 0)
    texts = [f"{'gay' if one else 'tea'} number {i}" for i, one in enumerate(held)]
    labels = np.where(toxic, "toxic", "nontoxic").tolist()
    report = audit(texts, labels, ["gay", "deaf"], set_column=names.tolist())
    r = s = pr = mixed = qs = excess = variance = 0.0
    for name in np.unique(names):
        inside = names == name
        size, a = inside.sum(), (inside & held & toxic).sum()
        b, c = (inside & held & ~toxic).sum(), (inside & ~held & toxic).sum()
        d = size - a - b - c
        r, s = r + a * d / size, s + b * c / size
        pr, qs = pr + (a + d) * a * d / size**2, qs + (b + c) * b * c / size**2
        mixed += ((a + d) * b * c + (b + c) * a * d) / size**2
        excess += a - (a + b) * (a + c) / size
        variance += (a + b) * (c + d) * (a + c) * (b + d) / size**2 / (size - 1)
    half = 1.959963984540054 * np.sqrt(pr / 2 / r**2 + mixed / 2 / r / s + qs / 2 / s**2)
    expected = [r / s, r / s * np.exp(-half), r / s * np.exp(half), stats.chi2.sf(excess**2 / variance, 1)]
    found = report.terms.set_index("term").loc["gay"]
    columns = ["odds_ratio", "odds_ratio_low", "odds_ratio_high", "p_value"]
    assert found[columns].tolist() == pytest.approx(expected, rel=1e-9)
    pooled = audit(texts, labels, ["gay", "deaf"])
    assert pooled.terms.loc[0, "odds_ratio"] < 1 < found["odds_ratio"]  # the sets turn the sign
    pd.testing.assert_frame_equal(pooled.terms, audit(texts, labels, ["gay", "deaf"], set_column=["one"] * 900).terms)
    pd.testing.assert_frame_equal(pooled.buckets, report.buckets)
    pd.DataFrame({"text": texts, "label": labels, "set": names}).to_csv("corpora.csv", index=False)
    said = call("audit", "corpora.csv", "--terms", "gay,deaf", "--set-column", "set")
    assert "within 4 sets" in said.out.splitlines()[0]
    message = "2 sets for 1 texts.\n    Give one set a text."
    assert refusal(fc.errors.OptionError, audit, ["gay"], ["toxic"], ["gay"], set_column=["a", "b"]) == message
