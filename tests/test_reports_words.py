"""Numbers, mentions and terms in plain words, and the undefined values."""

from dataclasses import replace

from build_results import GENDER, predictions, run

from fairness_checklist.core.errors import count, first_ten
from fairness_checklist.core.formatting import decimal, format_p_value, join_names, percent, points
from fairness_checklist.reports import finding_text
from fairness_checklist.reports.figures import _name, literal
from fairness_checklist.reports.html import _ids
from fairness_checklist.reports.pairs import find_term
from fairness_checklist.reports.provenance import undefined_values
from fairness_checklist.reports.render import Scale
from fairness_checklist.reports.run_view import attribute_view
from fairness_checklist.reports.screen import around
from fairness_checklist.reports.wording import at_place, entities_at, group_phrase


def test_numbers_and_lists():
    shares = (0, 0.004, 0.0995, 0.09949, 0.12, 1, -1e-9, float("nan"))
    assert [*map(percent, shares)] == ["0 %", "0.4 %", "10 %", "9.9 %", "12 %", "100 %", "0 %", "undefined"]
    sizes = [points(x) for x in (0.12, -0.12, 0.01, 0.0, 0.005)]
    assert sizes == ["12 points", "12 points", "1 point", "0 points", "0.5 points"]
    decimals = [decimal(x, signed=True) for x in (-1e-6, 0.0, 0.25, -0.25, float("nan"))]
    assert decimals == ["0.000", "0.000", "+0.250", "-0.250", "-"]
    assert [join_names(list(names)) for names in ("", "a", "ab", "abc")] == ["", "a", "a and b", "a, b and c"]
    assert join_names(["1", "2", "3"], 2, last="or") == "1, 2 or 1 more"
    assert [count(n, "row") for n in (0, 1, 2000)] == ["0 rows", "1 row", "2,000 rows"]
    assert [count(2, noun) for noun in ("class", "left-out entry")] == ["2 classes", "2 left-out entries"]
    assert first_ten(range(12)) == "0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 2 more"
    assert [*map(format_p_value, (0.0421, 0.00004, 1.0))] == ["0.042", "below 0.001", "1.000"]


def test_two_shares_show_the_gap_that_is_said():
    row = {"unit": "decisions", "rate": 0.286, "others_rate": 0.106, "gap": 0.18}
    assert finding_text.both_numbers(row) == "29 % : 11 %"
    assert finding_text.both_numbers(row | {"others_rate": 0.114}) == "28.6 % : 11.4 %"
    rows = (row, row | {"rate": 0.1, "gap": -0.006}, row | {"gap": float("nan")})
    assert [finding_text.gap_points(one) for one in rows] == ["+18", "-0.6", "-"]
    ends = ((-0.02, 0.126), (-0.0001, 0.004), (0.0003, 0.052), (-0.07, -0.0003))
    bounds = [finding_text.bounds({"low": low, "high": high}) for low, high in ends]
    assert bounds == ["(-2 to 13)", "(-0.1 to 0.4)", "(above 0 to 6)", "(-7 to below 0)"]
    assert [finding_text.whole_points(gap) for gap in (0.154, 0.01, -0.2)] == ["15 points", "1 point", "-20 points"]
    shares = [finding_text.whole_percent(share) for share in (0.294, 0.002, 0.0, float("nan"))]
    assert shares == ["29 %", "under 1 %", "0 %", "an unknown share"]
    axis = Scale(-0.1, 0.3)
    assert (axis.at(0.0), axis.at(float("nan"))) == ("25", "")
    assert axis.ticks() == (("0", "-10"), ("25", "0"), ("50", "+10"), ("75", "+20"), ("100", "+30"))


def test_names_fit_their_place():
    group = "female names (Asian American and Pacific Islander association)"
    assert _name(group) == "female names (Asian American and\nPacific Islander association)"
    assert (_name("\u202emen\n1"), literal("$a$")) == ("men 1", "\\$a\\$")
    assert _ids(["gender", "gender.x", "a b", "a-b"]) == ["gender", "gender-x", "a-b", "a-b-2"]
    cut = around("One two three. " * 6 + "I met a deaf writer.", 98, 102)
    assert cut == "… two three. One two three. One two three. I met a deaf writer."
    terms = ({"word": "guy / guys"}, {"word": "guy / guys / bloke"})
    assert [finding_text.subject(row) for row in terms] == ['"guy" (also "guys")', '"guy" (also 2 other forms)']
    places = [(at_place(place, "names"), entities_at(place, "names")) for place in ("context", "")]
    assert places == [("in the rest of the sentences", "other entities"), ("in the whole sentences", "entities")]


def test_groups_are_kinds_of_mention():
    for group, attribute, output in (
        ("women", "gender", "women"),
        ("non-disabled people", "disability", "non-disabled people"),
        ("cis", "gender", "cis people"),
        ("born in spring", "control_words", 'the group "born in spring"'),
        ("female", "names.short", "female names"),
    ):
        assert group_phrase(group, attribute) == output


def test_find_term():
    for text, term, other, marked in (
        ("The Trans writer left.", "trans", "", "Trans"),
        ("A woman met a man.", "man", "", "man"),
        ("Both women left.", "woman", "Both men left.", "women"),
        ("I saw an agender chef, again.", "", "I saw a chef, again.", "agender"),
        ("The chef is a wheelchair user.", "wheelchair users", "The chef is deaf.", "wheelchair user"),
        ("People with epilepsy came.", "with Epilepsy", "", "with epilepsy"),
        ("C++ people came.", "c++", "", "C++"),
        ("The same.", "other", "The same.", ""),
        ("", "x", "", ""),
    ):
        start, end = find_term(text, term, other)
        assert (text[start:end] if start >= 0 else "") == marked, text


def test_undefined_values_are_gathered_by_reason():
    terms = {**GENDER, ("men", "man"): (0.9, 0.8, 0.1, 0.1), ("men", "boy"): (0.9, 0.9, 0.1, 0.2)}
    results = run(predictions("gender", terms))
    found = undefined_values(attribute_view(results, "gender"))
    rows = found[(found["metric"] == "fpr_ratio") & (found["class"] == "positive")]
    which = "women against everyone else, men against everyone else and cis against everyone else"
    assert rows.values.tolist() == [["fpr_ratio", "positive", "the background's score is 0", 3, which]]
    defined = replace(results, metrics=results.metrics[results.metrics["value"].notna()])
    assert undefined_values(attribute_view(defined, "gender")).empty
