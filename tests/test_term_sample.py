"""``max_terms`` draws a seeded random sample, spread over lexemes and statuses."""

from collections import Counter

from sweep import sweep

from fairness_checklist.content.term_files import load_terms
from fairness_checklist.content.terms import lexemes_of, sample


def test_it_is_no_head_of_the_file_and_depends_on_the_seed() -> None:
    names = load_terms("names")
    head = [one.term for one in names.of_group("female")[:20]]
    drawn = [
        [one.term for one in names.select(max_terms=20, sample_seed=seed).of_group("female")] for seed in (0, 0, 1)
    ]
    assert drawn[0] == drawn[1]
    assert len(set(drawn[0]) & set(drawn[2])) < 8
    assert len(set(drawn[0]) & set(head)) < 8


@sweep("attribute", ["gender", "religion", "disability", "race_ethnicity"])
def test_each_lexeme_comes_once_before_any_twice(attribute: str) -> None:
    terms = load_terms(attribute).select()
    for group in terms.groups:
        own = [one for one in terms.of_group(group) if not one.has_flag("ambiguous")]  # these come last
        lexemes = dict(zip((id(one) for one in own), lexemes_of(own), strict=True))
        for most in range(1, len(own) + 1):
            count = Counter(lexemes[id(one)] for one in sample(own, most))
            assert sum(count.values()) == most
            if most <= len(set(lexemes.values())):
                assert max(count.values()) == 1


def test_terms_of_one_concept_are_drawn_together_and_a_longer_sample_holds_the_shorter_one() -> None:
    terms = load_terms("names.origin").select(max_terms=6)
    drawn = {frozenset(one.concept for one in terms.of_group(group)) for group in terms.groups}
    assert len(drawn) == 1
    names = load_terms("names").of_group("male")
    few, more = ({one.term for one in sample(names, most)} for most in (10, 30))
    assert few < more
