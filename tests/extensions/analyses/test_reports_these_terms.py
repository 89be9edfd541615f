"""Tests of these terms only as a table, on the page, and as a method of a result."""

from __future__ import annotations

import numpy as np
import pytest
from build_reports_tagger import tagger_run
from build_results import GENDER, NAMES, predictions, run
from scipy import stats

from fairness_checklist.api.result import Result
from fairness_checklist.core.errors import OptionError
from fairness_checklist.extensions.analyses.paired_tests import COLUMNS, WARNING, paired_tests


@pytest.fixture(scope="module")
def results():
    return run(predictions(), predictions("names", NAMES))


def means_of(attribute_terms, *groups):
    """(4, G) the groups' mean probabilities of positive in each source."""
    return [np.mean([p for (g, _), p in attribute_terms.items() if g == group], axis=0) for group in groups]


def test_all_groups_by_friedman_and_each_pair_by_two_tests(results):
    found = paired_tests(results, "gender", "positive")
    assert list(found.columns) == COLUMNS
    assert found[["left", "right"]].values.tolist() == [
        *[["*", ""]],
        *(pair for pair in (["women", "men"], ["women", "cis"], ["men", "cis"]) for _ in range(2)),
    ]
    kinds = [test.split(",")[0] for test in found["test"]]
    assert kinds == ["Friedman", *["Wilcoxon", "paired t"] * 3]
    women, men, cis = means_of(GENDER, "women", "men", "cis")
    assert found["p_value"][0] == pytest.approx(stats.friedmanchisquare(women, men, cis).pvalue)
    [paired] = found.query("test == 'paired t' and left == 'men' and right == 'cis'")["p_value"]
    assert paired == pytest.approx(stats.ttest_rel(men, cis).pvalue)
    assert set(found["n"]) == {4}
    assert found.attrs["warning"] == WARNING


def test_the_class_and_the_attribute_are_those_of_the_verdict_by_default(results):
    assert set(paired_tests(results)["class"]) == {"positive"}
    assert Result(**vars(results)).paired_tests().equals(paired_tests(results, "gender", "positive"))
    two = paired_tests(results, "names")
    assert two["test"].str.startswith("Wilcoxon").sum() == 1
    assert "Friedman" not in set(two["test"])


def test_texts_and_terms_do_not_matter():
    table = predictions().assign(text=[f"Sentence {at}" for at in range(len(predictions()))])
    table["template"] = table["source"] + "-template"
    assert paired_tests(run(table)).equals(paired_tests(run(table.drop(columns=["term", "text", "template"]))))


def test_a_tagger_is_evaluated_at_the_term():
    found = paired_tests(tagger_run())
    assert len(found)
    assert set(found["class"]) <= {"PER", "LOC"}


def test_errors_explain_what_is_missing(results):
    with pytest.raises(OptionError) as error:
        paired_tests(results, "gender", "happy")
    assert str(error.value) == "the run has no class 'happy'.\n    It has negative, positive."
    with pytest.raises(OptionError) as error:
        paired_tests(run(predictions().drop(columns="source")))
    assert str(error.value) == "tests of these terms compare probabilities inside sources, and there are none."
