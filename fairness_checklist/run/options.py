"""The choices of a run, and its purpose, declared before it: which wrong answers hurt, whom, and what is wanted."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from numbers import Real
from pathlib import Path
from typing import Any

from fairness_checklist.checks import Check
from fairness_checklist.checks.directional import DirectionalExpectation
from fairness_checklist.checks.invariance_and_mft import Invariance, MinimumFunctionality
from fairness_checklist.core import option_defaults
from fairness_checklist.core.arrays import by_value
from fairness_checklist.core.config import CONFIG, check_keys, read_config
from fairness_checklist.core.errors import OptionError
from fairness_checklist.core.option_defaults import MARGIN, UNIT, MetricOptions
from fairness_checklist.core.tasks import TASKS, Harm, parse_harm
from fairness_checklist.core.thresholds import Threshold, check_threshold, threshold_text
from fairness_checklist.metrics.metric_forms import METRICS, Metric, Options


@dataclass(frozen=True)
class Purpose:
    """Which wrong answers hurt, whom, and what is wanted; recorded in ``run.json``.

    Attributes:
        harm: ids as `core.tasks.parse_harm` reads them, one at least.
        to_whom: who is hurt, in words.
        wanted: what the model should do instead, in words.
        margin: the largest gap that is called small, above 0 and below 1.
    """

    harm: tuple[str, ...]
    to_whom: str = ""
    wanted: str = ""
    margin: float = MARGIN

    def __post_init__(self) -> None:
        object.__setattr__(self, "harm", option_defaults.names("harm", self.harm))
        object.__setattr__(self, "margin", _margin(self.margin))
        for name in self.harm:
            parse_harm(name)


def read_purpose(path: str | Path = CONFIG) -> Purpose | None:
    """The table ``[purpose]`` of a TOML file; None where the file has none."""
    path = Path(path)
    table = read_config(path).get("purpose")
    if table is None:
        return None
    check_keys("purpose", table, [spec.name for spec in fields(Purpose)], place=path.name)
    if "harm" not in table:
        raise OptionError(
            "[purpose] names no error.", place=path.name, remedy='Write [purpose] and below it harm = ["called:CLASS"].'
        )
    for key in ("to_whom", "wanted"):
        if not isinstance(table.get(key, ""), str):
            raise OptionError(f"{key} in [purpose] is no text.", place=path.name, remedy=f'Write {key} = "...".')
    try:
        return Purpose(**table)
    except OptionError as error:
        raise OptionError(
            error.message, place=path.name, remedy=error.remedy, command_remedy=error.command_remedy
        ) from error


PRIMARY, PRIMARY_OF_TAGGERS = ("fnr_gap", "fpr_gap"), ("fnr_gap",)  # the rates that illustrate the harms of the tasks
Harms = str | Harm | Purpose | Sequence[str | Harm] | None

DEFAULT_CHECKS: tuple[Check, ...] = (Invariance(), MinimumFunctionality())


@by_value
@dataclass(frozen=True, eq=False)
class RunOptions:
    """The choices of a run."""

    metrics: Sequence[str | Metric] | None = None  # None for every registered one that these outcomes allow
    primary: Sequence[str] | None = None  # up to four ids, first in tables, with null means; None: the task's
    checks: Sequence[Check] = DEFAULT_CHECKS
    options: Options = field(default_factory=Options)  # how metrics are computed
    unlabelled: str = MetricOptions.unlabelled  # "keep" or "drop" examples without a usable label
    # None takes the most probable class, see `core.thresholds.decide`; "eer" must be determined on a set first.
    threshold: float | str | Mapping[str, float] | Threshold | None = None
    draws: int = MetricOptions.draws  # random assignments of terms to groups for null means; 0 for none
    harm: Harms = None  # the wrong answers that findings are about, see `core.tasks.parse_harm`; None: the task's
    uncertainty: bool = MetricOptions.uncertainty  # bootstrap intervals, which take many times as long
    margin: float | None = None  # the largest gap that is called small, above 0 and below 1
    reference: str | None = None  # the group that all others are compared with; None compares each with all others
    unit: str = UNIT  # what gaps are of, "probability" (of decisions where there are none) or "decisions"

    def __post_init__(self) -> None:
        plain: dict[str, Any] = {"checks": _checks(self.checks)}
        if self.metrics is not None:
            plain["metrics"] = option_defaults.items("metrics", self.metrics, (str, Metric), "metrics")
        if self.primary is not None:
            plain["primary"] = tuple(dict.fromkeys(option_defaults.names("primary", self.primary, empty=True)))
        plain["options"] = Options() if self.options is None else self.options
        if not isinstance(plain["options"], Options):
            raise OptionError(
                f"options={self.options!r} is not a record of options.", remedy="Write options=Options(seed=3)."
            )
        plain["draws"] = option_defaults.whole_number("draws", self.draws, least=0)
        plain["uncertainty"] = option_defaults.flag("uncertainty", self.uncertainty)
        option_defaults.choice("unlabelled", self.unlabelled, option_defaults.UNLABELLED)
        stated = self.harm.margin if isinstance(self.harm, Purpose) else MARGIN
        if self.harm is not None and not isinstance(self.harm, Purpose):
            harms = option_defaults.items("harm", self.harm, (str, Harm), "harms")
            plain["harm"] = tuple(dict.fromkeys(map(_harm, harms)))
        plain["margin"] = _margin(stated if self.margin is None else self.margin)
        option_defaults.choice("unit", self.unit, option_defaults.UNITS)
        for name, value in plain.items():
            object.__setattr__(self, name, value)
        named = self.primary or ()
        if len(named) > 4:
            remedy = f"Name those that matter most: by default {', '.join(PRIMARY)}."
            raise OptionError(f"{len(named)} primary metrics are named; expected at most four.", remedy=remedy)
        if self.threshold is not None:
            check_threshold(self.threshold)
        for name in (*named, *(metric for metric in self.metrics or () if isinstance(metric, str))):
            if self.metrics != ("all",) or name != "all":
                METRICS[name]

    def primary_of(self, task: str) -> tuple[str, ...]:
        """The primary metrics of a task: those named, else the default ones."""
        of_task = PRIMARY_OF_TAGGERS if task in TASKS and TASKS[task].tagging else PRIMARY
        return of_task if self.primary is None else tuple(self.primary)

    def harms_of(self, task: str, *, labelled: bool = True) -> tuple[Harm, ...]:
        """The harms of a run: those declared, else those of the task; without labels being given the harmful class.

        >>> [one.name for one in RunOptions().harms_of("toxicity", labelled=False)]
        ['predicted:toxic']
        """
        if self.harm is not None:
            declared: Any = self.harm.harm if isinstance(self.harm, Purpose) else self.harm
            return tuple(map(_harm, declared))
        harms = TASKS[task].harms if task in TASKS else ()
        if labelled or (task in TASKS and TASKS[task].tagging):
            return harms
        return tuple(parse_harm(f"predicted:{harm.label}") for harm in harms if harm.kind == "called")

    def recorded(self, task: str) -> dict[str, Any]:
        """The options as recorded in ``run.json``."""
        tolerances = list(dict.fromkeys(check.tolerance for check in self.checks if isinstance(check, Invariance)))
        directional = [check.recorded() for check in self.checks if isinstance(check, DirectionalExpectation)]
        of_metrics = {spec.name: getattr(self.options, spec.name) for spec in fields(Options)}
        del of_metrics["groupings"]
        return {
            "primary": list(self.primary_of(task)),
            "harm": None if self.harm is None else [harm.name for harm in self.harms_of(task)],
            **{
                name: getattr(self, name)
                for name in ("unlabelled", "draws", "uncertainty", "margin", "reference", "unit")
            },
            "threshold": None if self.threshold is None else threshold_text(self.threshold),
            **of_metrics,
            "tolerance": tolerances[0] if tolerances else None,
            **({"purpose": asdict(self.harm)} if isinstance(self.harm, Purpose) else {}),
            **({"tolerances": tolerances} if len(tolerances) > 1 else {}),
            **({"directional": directional} if directional else {}),
        }


def _margin(given: object) -> float:
    if isinstance(given, bool) or not isinstance(given, Real) or not 0 < float(given) < 1:
        raise OptionError(f"margin={given!r} is not a number above 0 and below 1.", remedy="Write 5 points as 0.05.")
    return float(given)


def _harm(given: object) -> Harm:
    return given if isinstance(given, Harm) else parse_harm(str(given))


def _checks(given: object) -> tuple[Check, ...]:
    """The tests to run; a single one is treated as a list of one."""
    listed: list[Any] = list(given) if isinstance(given, Iterable) and not isinstance(given, (str, bytes)) else [given]
    for check in listed:
        if isinstance(check, type) or not callable(getattr(check, "run", None)):
            remedy = "Expected tests: checks=[Invariance(), MinimumFunctionality()]; [] runs none."
            raise OptionError(f"checks holds {check!r}, which is not a test.", remedy=remedy)
    return tuple(listed)
