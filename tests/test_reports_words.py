"""Numbers and mentions in plain words."""

from __future__ import annotations

import pytest

from fairness_checklist.core.errors import count
from fairness_checklist.core.formatting import decimal, join_names, percent, points
from fairness_checklist.reports.wording import group_clause


@pytest.mark.parametrize(
    ("share", "output"),
    [(0, "0 %"), (0.004, "0.4 %"), (0.0995, "10 %"), (0.09949, "9.9 %"), (0.12, "12 %"), (1, "100 %"), (-1e-9, "0 %")],
)
def test_percent(share, output):
    assert percent(share) == output


def test_points_have_no_sign():
    assert [points(x) for x in (0.12, -0.12, 0.01, 0.0, 0.005)] == [
        "12 points",
        "12 points",
        "1 point",
        "0 points",
        "0.5 points",
    ]


def test_decimal_never_writes_minus_nothing():
    assert [decimal(x, signed=True) for x in (-1e-6, 0.0, 0.25, -0.25)] == ["0.000", "0.000", "+0.250", "-0.250"]


def test_listed():
    assert [join_names(list(names)) for names in ("", "a", "ab", "abc")] == ["", "a", "a and b", "a, b and c"]
    assert join_names(["1", "2", "3"], 2, last="or") == "1, 2 or 1 more"


def test_count():
    assert [count(n, "row") for n in (0, 1, 2000)] == ["0 rows", "1 row", "2,000 rows"]


@pytest.mark.parametrize(
    ("group", "attribute", "output"),
    [
        ("women", "gender", "texts that mention women"),
        ("trans women", "gender", "texts that mention trans women"),
        ("non-disabled people", "disability", "texts that mention non-disabled people"),
        ("cis", "gender", "texts that mention cis people"),
        ("born in spring", "placebo", 'texts that mention the group "born in spring"'),
        ("female", "names", "texts with female names"),
        ("female", "names.short", "texts with female names"),
    ],
)
def test_groups_are_kinds_of_mention(group, attribute, output):
    assert f"texts {group_clause(group, attribute)}" == output
