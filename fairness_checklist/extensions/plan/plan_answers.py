"""The answers of the verb `plan`: each question adds a line, its tables and its records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any

import pandas as pd

from fairness_checklist.cli.answers import Answer
from fairness_checklist.core.errors import OptionError
from fairness_checklist.core.tasks import get_task, parse_harm
from fairness_checklist.extensions.plan import plan_findings, plan_page
from fairness_checklist.extensions.plan import power as planning_examples
from fairness_checklist.extensions.plan import suite_plan as planning
from fairness_checklist.extensions.plan.disparities import disparities_of_table
from fairness_checklist.extensions.plan.power import Method, measure_examples_needed
from fairness_checklist.extensions.plan.power_simulation import REPETITIONS
from fairness_checklist.extensions.plan.random_effects import Effects
from fairness_checklist.findings.finding import Finding
from fairness_checklist.reports.run_view import attribute_views, outcomes_of
from fairness_checklist.reports.wording import Grid
from fairness_checklist.statistics.multiplicity import ALPHA
from fairness_checklist.tables.files import read_table
from fairness_checklist.tables.run_folder import Results

if TYPE_CHECKING:
    from fairness_checklist.api.suite import Suite

_REPETITIONS = REPETITIONS
_WIDTH = 100  # columns of a line
_OF_SUITES = 1500  # of suites in which not every term is in every sentence, which take longer


@dataclass
class Answers:
    """What is asked for, and the answers so far."""

    design: planning_examples.Design
    seed: int
    findings: list[Finding] = field(default_factory=list)  # an answer each
    grids: list[Grid] = field(default_factory=list)  # grids, charts: tables and pictures
    charts: list[plan_page.Chart] = field(default_factory=list)
    records: dict[str, Any] = field(default_factory=dict)  # what a program reads, by name
    tables: dict[str, pd.DataFrame] = field(default_factory=dict)  # what is written as CSV, by name
    notes: list[str] = field(default_factory=lambda: list(plan_page.NOTES))  # how to read it

    def size(self, gap: float, groups: int, harms: int, terms: int | None, effects: Effects) -> None:
        """Templates and terms that show a gap."""
        if self.design.confidence != 1 - ALPHA:
            self.notes.append("Findings always use 95 % intervals, whatever --confidence says.")
        plan = planning.plan_suite(
            gap, groups=groups, harms=harms, terms=terms, effects=effects, **self._simulation(_REPETITIONS)
        )
        self.findings += plan.findings
        self._add("suites", plan_page.suite_grid(plan), [asdict(option) for option in plan.options])
        self.records["suites"] = plan
        self.grids.append(plan_page.effects_grid([("every error", effects)]))

    def crossed(self, terms: int, sentences: int, groups: int, harms: int, effects: Effects) -> None:
        """The smallest gap of so many templates and terms."""
        reach = planning.smallest_suite_gap(
            terms, sentences, groups=groups, harms=harms, effects=effects, **self._simulation(_REPETITIONS)
        )
        self._reach([reach], [("every error", effects)])

    def suite(self, suite: Suite, effects: Effects, gap: float | None) -> None:
        """The smallest gaps of a suite that no model has seen."""
        options = self._simulation(_OF_SUITES)
        reaches = [reach for part in suite.parts for reach in planning.reach_of_part(part, effects=effects, **options)]
        self._reach(reaches, [("every error", effects)], gap)

    def run(self, folder: Path, gap: float | None) -> None:
        """The smallest gaps of a run, with its own sizes of effects."""
        results = Results.load(folder)
        reaches: list[planning.Reach] = []
        sizes: list[tuple[str, Effects]] = []
        declared = results.info.get("options", {}).get("harm")
        task = str(results.info.get("task", ""))
        for view in attribute_views(results):
            harms = [parse_harm(name) for name in declared] if declared else list(get_task(task).harms)
            reach, effects = planning.reach_of_run(
                outcomes_of(results, view), harms, power=self.design.power, seed=self.seed
            )
            reaches += reach
            names = dict.fromkeys(of_group.harm for of_group in reach)
            sizes += [(f"{view.attribute}, {name}", effect) for name, effect in zip(names, effects, strict=True)]
        self._reach(reaches, sizes, gap)

    def _simulation(self, repetitions: int) -> dict[str, Any]:
        return {"power": self.design.power, "seed": self.seed, "repetitions": repetitions}

    def _reach(self, reaches: list[planning.Reach], sizes: list[tuple[str, Effects]], gap: float | None = None) -> None:
        self.findings += plan_findings.reach_findings(reaches, self.design.power)
        if gap is not None:
            self.findings.append(plan_findings.enough_finding(reaches, gap))
        self._add("smallest_gaps", plan_page.reach_grid(reaches), [asdict(reach) for reach in reaches])
        self.grids.append(plan_page.effects_grid(sizes))
        self.records["effects"] = dict(sizes)

    def examples(self, gap: float, measure: str | None, positive_share: float) -> None:
        """Independent examples that show a gap."""
        if measure is not None:
            level = {"confidence": self.design.confidence, "gamma": self.design.gamma, "power": self.design.power}
            options: dict[str, Any] = level | {"positive_share": positive_share}
            sized = measure_examples_needed(measure, gap, **options)
            self.findings.append(plan_findings.measure_finding(measure, gap, sized, self.design.power))
            self.records["measure"] = list(sized)
            self.tables["measure"] = pd.DataFrame([asdict(size) for size in sized])
            return
        plans = planning_examples.plan_examples(gap, self.design)
        self.findings.append(plan_findings.examples_finding(plans, self.design))
        self._examples(plans)

    def examples_reach(self, n: int) -> None:
        """The smallest gap of so many independent examples."""
        plans = planning_examples.reach_of_examples(n, self.design)
        self.findings.append(plan_findings.examples_reach_finding(plans, self.design))
        self._examples(plans)

    def _examples(self, plans: Sequence[planning_examples.ExamplesPlan]) -> None:
        self._add("examples", plan_page.examples_grid(plans), [asdict(plan) for plan in plans])
        gaps = [self.design.cost_range * step / 100 for step in range(1, 21)]
        methods: tuple[Method, ...] = ("bernstein", "centred", "normal")
        curves = [(plan_page.METHOD_WORDS[name], planning_examples.curve(gaps, name, self.design)) for name in methods]
        self._curve("Independent examples by the gap that is estimated", curves)

    def _curve(self, title: str, curves: Sequence[tuple[str, Sequence[tuple[float, float]]]]) -> None:
        about = "As figure 2 of Ethayarajh 2020: with so many examples the interval leaves out 0, if the estimated gap "
        about += "is that large."
        self.charts.append(plan_page.line_chart(title, about, curves, x_name="gap", y_name="examples"))

    def annotated(self, path: Path, protected: str | None, positive: str | None) -> None:
        """The fairness measures of a table, with their intervals."""
        if protected is None or positive is None:
            raise OptionError(
                "--annotated needs --protected and --positive.", remedy="Name a group and the good outcome."
            )
        disparities = disparities_of_table(
            read_table(path), protected=protected, positive=positive, confidence=self.design.confidence
        )
        self.findings += plan_findings.disparity_findings(disparities, protected, positive)
        self._add("disparities", plan_page.disparity_grid(disparities), [asdict(entry) for entry in disparities])

    def _add(self, name: str, grid: Grid, rows: list[dict[str, Any]]) -> None:
        self.grids.append(grid)
        self.records[name] = rows
        self.tables[name] = pd.DataFrame(rows)

    def answer(self) -> Answer:
        """All answers as one."""
        statements = [finding.statement for finding in self.findings]

        def page() -> str:
            title = "How much data shows a gap"
            return plan_page.plan_page(title, statements, charts=self.charts, grids=self.grids, notes=self.notes)

        words = [fill(line, _WIDTH, subsequent_indent="  ") for line in statements]
        return Answer(words, self.findings, self.tables, self.records, page, self.grids)
