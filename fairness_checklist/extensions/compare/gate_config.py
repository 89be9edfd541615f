"""What a gate asks for: limits, margin and waivers of ``fairness.toml``."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import date
from enum import StrEnum
from pathlib import Path
from typing import Any

from fairness_checklist.core.arrays import by_value
from fairness_checklist.core.config import check_keys, config_table
from fairness_checklist.core.errors import OptionError
from fairness_checklist.core.formatting import join_names
from fairness_checklist.core.option_defaults import LIMIT

KEY = ["attribute", "group", "error"]


class GateReason(StrEnum):
    """Why a comparison is decided as it is, where the bounds of its gap alone do not decide."""

    NONE = ""
    WORSE_THAN_BASELINE = "worse than baseline"
    AS_BASELINE = "as baseline"
    WAIVED = "waived"
    EXPIRED = "waiver expired"


@dataclass(frozen=True)
class Waiver:
    """A group and error that may be above the limit until a day; ``group`` or ``error`` "" is any."""

    attribute: str
    group: str
    error: str
    owner: str
    reason: str
    expires: date

    def covers(self, attribute: str, group: str, error: str) -> bool:
        """Whether a comparison is waived."""
        return attribute == self.attribute and self.group in ("", group) and self.error in ("", error)


@by_value
@dataclass(frozen=True, eq=False)
class GateConfig:
    """What a gate asks for.

    Attributes:
        limit: of gaps, a share from 0 to 1.
        margin: with a baseline, the largest growth of a gap that passes; None for the margin of the run.
        limits: other limits, by attribute ("gender") or by attribute and error ("gender.called_negative").
        waivers: what may be above its limit for a time.

    >>> config = GateConfig(limits={"gender": 0.05, "gender.called_negative": 0.02})
    >>> [config.limit_of(*of) for of in (("gender", "called_negative"), ("gender", "x"), ("religion", "x"))]
    [0.02, 0.05, 0.1]
    """

    limit: float = LIMIT
    margin: float | None = None
    limits: Mapping[str, float] = field(default_factory=dict)
    waivers: tuple[Waiver, ...] = ()

    def __post_init__(self) -> None:
        margin = {} if self.margin is None else {"margin": self.margin}
        for name, value in {"limit": self.limit, **margin, **self.limits}.items():
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < 1:
                raise OptionError(f"{name}={value!r} is not a share from 0 to 1.", remedy="Write 10 points as 0.1.")

    def waiver_of(self, row: Mapping[Any, Any]) -> Waiver | None:
        """The first waiver of a comparison."""
        key = [str(row[name]) for name in KEY]
        return next((waiver for waiver in self.waivers if waiver.covers(*key)), None)

    def limit_of(self, attribute: str, error: str) -> float:
        """The limit of an error of an attribute."""
        return float(self.limits.get(f"{attribute}.{error}", self.limits.get(attribute, self.limit)))


def read_config(path: str | Path) -> GateConfig:
    """The table ``[gate]`` of a TOML file; the default one where the file has none.

    Raises:
        OptionError: the file cannot be read, or a key or value of ``[gate]`` is wrong.
    """
    path = Path(path)
    table = config_table(path, "gate", [spec.name for spec in fields(GateConfig)])
    try:
        return GateConfig(**{**table, "waivers": tuple(_waiver(entry) for entry in table.get("waivers", ()))})
    except OptionError as error:
        raise OptionError(error.message, place=path.name, remedy=error.remedy) from error


def _waiver(entry: Any) -> Waiver:
    names = [spec.name for spec in fields(Waiver)]
    check_keys("gate.waivers", entry, names)
    lost = [name for name in names if name not in ("group", "error") and not entry.get(name)]
    if lost:
        raise OptionError(
            f"a waiver names no {join_names(lost)}.",
            remedy="Each needs attribute, owner, reason and expires: expires = 2027-06-01.",
        )
    if not isinstance(entry["expires"], date):
        raise OptionError(
            f"expires={entry['expires']!r} is no date.", remedy="Write expires = 2027-06-01, without quotes."
        )
    return Waiver(**{"group": "", "error": "", **entry})
