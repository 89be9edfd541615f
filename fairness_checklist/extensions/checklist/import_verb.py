"""The verb `import`: tests that CheckList saved, with their predictions or those of a model."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fairness_checklist.cli import arguments, runs
from fairness_checklist.cli.help_sections import MODEL, TESTED, option
from fairness_checklist.cli.printed_answers import Answer, Output
from fairness_checklist.core import option_defaults as default
from fairness_checklist.core.errors import SuiteError, count

if TYPE_CHECKING:
    from fairness_checklist.api.result import Result
    from fairness_checklist.extensions.checklist.behavioral.behavioral_tests import BehavioralTest
    from fairness_checklist.extensions.checklist.behavioral.test_suite import TestSuite

_ABOUT_RATES = """
An invariance test fails with any change of the prediction, such as neutral to positive, and its rate
grows with the number of groups. The findings above compare groups by one error each; all classes
are in the report, under "Metrics by group"."""


def import_(
    source: Annotated[
        Path, typer.Argument(metavar="FILE", help="File of a suite or test that CheckList saved (.pkl).")
    ],
    *,
    model: Annotated[
        str | None, option(MODEL, "Model to run, in place of stored predictions: see `run --help`.", "--model", "-m")
    ] = None,
    out: arguments.Out = None,
    test: Annotated[
        list[str] | None, option(TESTED, "Take the groups of this test only. Repeat the option for several.")
    ] = None,
    terms: Annotated[
        Path | None, option(TESTED, "Table with the columns term and group, where the file does not tell the groups.")
    ] = None,
    task: arguments.TaskName = default.TASK,
    force: arguments.Force = False,
    as_json: arguments.Json = False,
) -> None:
    """Read the tests that CheckList saved, and compare the groups in them. No code of the file is run.

    Each test is listed with its failures. Tests whose texts mention groups are evaluated by group as well: findings,
    metrics and a report.

    Example: fairness-checklist import suite.pkl --model bundled --out runs/imported
    """
    from fairness_checklist.cli.python_models import load_named
    from fairness_checklist.extensions.checklist.behavioral.test_suite import TestSuite
    from fairness_checklist.reports.html import save_run
    from fairness_checklist.tables.run_folder import check_replaceable, check_same_suite

    output = Output(out=out, force=force, as_json=as_json)
    if out is not None and (out / "import.json").is_file():
        output.check("import")
    elif out is not None:
        check_replaceable(out)
    suite = TestSuite.from_checklist(source)
    loaded = None if model is None else load_named(model, task)
    if loaded is not None:
        suite.run(loaded, verbose=False, overwrite=True)
    result, why = _by_group(suite, test, terms, task)
    words = _listed(suite, source.name)
    if result is not None:
        result.info["model"] = {"name": source.name} if loaded is None else loaded.describe()
        words.append(_ABOUT_RATES)
        if not as_json:
            runs.print_result(result, out, False)
            typer.echo()
    if loaded is not None:
        words.append(f"Labels that are numbers are positions in the model's classes: {', '.join(suite.classes)}.")
    if why:
        words.append(f"\n{why}")
    tests = suite.to_frame()
    if result is not None and out is not None:
        check_same_suite(out, result.info, force=force)
        save_run(result, out, add_files=lambda scratch: tests.to_csv(scratch / "tests.csv", index=False))
        words.append(f"\nTable of all tests: {out / 'tests.csv'}")
        output = Output(as_json=as_json)
    record = {"tests": tests, "groups": None if result is None else runs.json_of(result, out)}
    output.deliver("import", Answer(words, tables={"tests": tests}, record=record, lines=None))


def _by_group(suite: TestSuite, tests: list[str] | None, terms: Path | None, task: str) -> tuple[Result | None, str]:
    """The evaluation of the tests with groups; or None, and why there is none."""
    from fairness_checklist.api.suite import Suite
    from fairness_checklist.tables.files import read_table

    groups = None
    if terms is not None:
        table = read_table(terms)
        groups = dict(zip(table["term"].astype(str), table["group"].astype(str), strict=True))
    try:
        imported = Suite.from_checklist(suite, tests=tests, groups=groups, task=task)
    except SuiteError as error:
        if tests or terms:
            raise
        remedy = error.remedy if error.command_remedy is None else error.command_remedy
        return None, f"No comparison of groups: {error.message}\n{remedy}"
    if any(listed.results is None for listed in suite.tests.values()):
        named = [f"{part.attribute} ({len(part.terms.groups)} groups)" for part in imported.parts]
        return None, f"Groups are found for {', '.join(named)}. Compare them: --model MODEL."
    return imported.evaluate(), ""


def _listed(suite: TestSuite, source: str) -> list[str]:
    tests = suite.chosen()
    lines = [f"{source}: {len(suite)} tests, {sum(len(test.examples()) for test in tests):,} texts"]
    width = min(max(len(name) for name in suite.tests), 60)
    for capability, same in groupby(tests, key=lambda test: str(test.capability)):
        lines += ["", capability] if capability or len(lines) > 1 else []
        names = {str(test.name): test for test in same}
        cut = {name: name if len(name) <= width else f"{name[: width - 3]}..." for name in names}
        lines += [f"  {test.kind}  {cut[name]:<{width}}  {_rate(test)}" for name, test in names.items()]
    unknown = [test for test in suite.tests.values() if test.unknown]
    if unknown:
        have, expect = ("has", "it expects") if len(unknown) == 1 else ("have", "they expect")
        tests_have = f"{count(len(unknown), 'test')} {have}"
        lines += ["", f"{tests_have} no results: what {expect} is a function that the file only names."]
        lines += [f"  {test.name}: {', '.join(test.unknown)}" for test in unknown]
        lines.append('Give it one in Python: suite["NAME"].set_expect(Expect.pairwise(function)).')
    return lines


def _rate(test: BehavioralTest) -> str:
    if test.state == "not run":
        return count(len(test), "case")
    if test.state == "no expectation":
        return "no results"
    stats = test.get_stats()
    if not stats.after_filtering:
        return f"applies to none of {count(stats.testcases_run, 'case')}"
    return f"{stats.fail_rate:5.1f} % fail, {stats.fails:,} of {stats.after_filtering:,}"
