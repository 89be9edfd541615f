"""The options of metrics, findings and tests, shared by `run` and `evaluate`."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from fairness_checklist.cli import arguments
from fairness_checklist.cli.help_sections import STATISTICS, option
from fairness_checklist.core import option_defaults as default

if TYPE_CHECKING:
    from fairness_checklist.run.options import Purpose


@dataclass(frozen=True, eq=False)
class MetricOptions:
    """Which metrics are computed, and how."""

    metrics: arguments.Metrics = None
    primary: Annotated[
        list[str] | None,
        option(STATISTICS, f"Primary metrics, up to four: shown first, with null means. {arguments.MANY}"),
    ] = None
    threshold: Annotated[
        str | None,
        option(
            STATISTICS,
            "Decision threshold in place of the most probable class: 0.7, toxic=0.7,nontoxic=0.3, or eer (equal "
            "error rate).",
        ),
    ] = None
    threshold_on: Annotated[
        Path | None,
        option(
            STATISTICS, "Table on which --threshold eer is determined: columns label and text, or label and p:<class>."
        ),
    ] = None
    tolerance: Annotated[
        float,
        option(
            STATISTICS,
            "Invariance test: change of probability, 0 to 1, up to which a change of the decision passes. The "
            "same decision passes whatever its probability (the rule of CheckList).",
        ),
    ] = default.TOLERANCE
    denominator: Annotated[
        str,
        option(
            STATISTICS,
            "Denominator of rates: true_class, or all_sources as in the released code of Czarnowska et al. 2021.",
        ),
    ] = default.DENOMINATOR
    weight: Annotated[
        str,
        option(
            STATISTICS,
            "Unit of equal weight: source; groupings, as in that code; group, so that each group contributes "
            "equally to a background.",
        ),
    ] = default.WEIGHT
    matching: Annotated[
        str, option(STATISTICS, "concept: compare only terms of one concept within a source, such as girl and boy.")
    ] = ""
    max_groupings: Annotated[
        int | None,
        option(
            STATISTICS,
            "Sample this many combinations of one term per group in place of the exact mean over all of them.",
        ),
    ] = None
    draws: Annotated[
        int,
        option(STATISTICS, "Number of random permutations of terms among groups for findings and null means; 0: none."),
    ] = default.DRAWS
    uncertainty: Annotated[
        bool, option(STATISTICS, "Bootstrap intervals of metrics and base scores, which take many times as long.")
    ] = False
    harm: Annotated[
        list[str] | None,
        option(
            STATISTICS,
            "Wrong answers that findings are about: called:CLASS, missed:CLASS, or the id of an error of the task. "
            f"{arguments.MANY}",
        ),
    ] = None
    relevant: Annotated[
        float | None,
        option(STATISTICS, "Smallest relevant gap of a finding, in decisions and in probability; by default 0.02."),
    ] = None
    config: Annotated[
        Path | None,
        option(
            STATISTICS,
            "TOML file whose table [purpose] declares the errors; by default fairness.toml in the current folder.",
        ),
    ] = None
    seed: arguments.Seed = default.SEED
    unlabelled: Annotated[str, option(STATISTICS, "Texts without a label that the model knows: keep or drop.")] = (
        default.UNLABELLED[0]
    )
    undefined: Annotated[
        str, option(STATISTICS, "Values without a definition, such as 0/0: report them, or raise an error.")
    ] = default.UNDEFINED
    where: Annotated[
        str, option(STATISTICS, "Words of a tagger's sentences to evaluate: slot or context; by default all.")
    ] = ""
    by: Annotated[str, option(STATISTICS, "term: treat each identity term as a group.")] = ""

    def keywords(self) -> dict[str, Any]:
        """The options as keywords of `Suite.run` and `evaluate`, checked before a model is loaded."""
        from fairness_checklist.checks.invariance_and_mft import Invariance, MinimumFunctionality
        from fairness_checklist.core.thresholds import read_threshold
        from fairness_checklist.metrics.metric_forms import Options
        from fairness_checklist.run.options import RunOptions

        given = dict(vars(self))
        options = Options(**{field.name: given.pop(field.name) for field in fields(Options) if field.name in given})
        threshold_on, config = given.pop("threshold_on"), given.pop("config")
        given |= {
            "metrics": arguments.split_commas(self.metrics),
            "primary": arguments.split_commas(self.primary),
            "harm": arguments.split_commas(self.harm) or _purpose(config),
            "threshold": read_threshold(self.threshold) if self.threshold else None,
            "checks": (Invariance(given.pop("tolerance")), MinimumFunctionality()),
        }
        return {**RunOptions(options=options, **given).keywords(), "threshold_on": threshold_on}


def _purpose(config: Path | None) -> Purpose | None:
    """The purpose that a file declares: the one named, or ``fairness.toml`` where it exists."""
    from fairness_checklist.run.options import CONFIG, read_purpose

    if config is None and not Path(CONFIG).is_file():
        return None
    return read_purpose(config or CONFIG)
