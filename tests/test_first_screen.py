"""The first screen of a run: its numbers can be counted, and terminal, page, JSON and notebook say the same."""

import csv
import re
from dataclasses import replace
from pathlib import Path

import click
import pytest
from build_findings import DAY, SHIFTS, found_in, scored, tagged
from build_reports_tagger import tagged_table, tagger_run
from build_results import predictions, read_page, run
from command_line import caller
from sweep import sweep

import fairness_checklist as fc
from fairness_checklist.cli.runs import in_colour, json_of
from fairness_checklist.findings.records import Reason
from fairness_checklist.findings.rule import Status
from fairness_checklist.reports import wording
from fairness_checklist.reports.finding_text import finding_sentence
from fairness_checklist.reports.html import notebook_view, render
from fairness_checklist.reports.provenance import untested
from fairness_checklist.reports.run_view import attribute_view
from fairness_checklist.reports.screen import AttributeScreen, first_screen
from fairness_checklist.tables.run_folder import Results

GROUPS: dict[str, dict[str, None]] = {}
"""The groups of every file of terms that ships, in either language, by attribute or named set."""
for _path in sorted((Path(__file__).parents[1] / "identity_terms").rglob("*.csv")):
    if _path.stem == "sources":
        continue
    for _row in csv.DictReader(_path.read_text(encoding="utf-8").splitlines()):
        GROUPS.setdefault(_path.stem, {})[_row["group"]] = None
ERRORS = ["called:rejected", "missed:rejected"]
THREE = SHIFTS | {"late": ("miner", "sailor", "waiter", "farmer", "actor", "singer")}


def shown(results: Results, *, python: bool = False) -> list[str]:
    """The lines, but for the note on topics, which `tests/test_dependence.py` tests."""
    lines = first_screen(results, python=python).as_text(None).splitlines()
    return [line for line in lines if "sentences are taken as independent" not in line]


def screen_of(results: Results) -> AttributeScreen:
    [one] = first_screen(results).attributes
    return one


@pytest.fixture(scope="module")
def several() -> fc.Result:
    """A worse group in one error, a better one, a word, control words, and another error in which nothing is found."""
    table = scored(0.15, THREE, labels=("hired", "rejected"), words={"clerk": 0.3}, controls=True, sources=60)
    return found_in(table, harm=ERRORS)


def test_numbers_can_be_counted_in_the_examples_and_the_gap_is_their_difference(several: fc.Result) -> None:
    screen = screen_of(several)
    examples = several.examples[several.examples["label"] == "hired"]
    assert {row.status for row in screen.rows} >= {"worse", "word"}
    for row in (row for row in screen.rows if row.error == "called rejected"):
        word = row.who.strip('"')
        inside = examples["term" if row.status == "word" else "group"].isin(
            [word, *re.findall(r'group "(.+)"', row.who)]
        )
        group = examples["group"].isin(examples["group"][inside])
        for column, cell in (("p:rejected", row.numbers), ("decided", row.rates)):
            values = examples["p:rejected"] > 0.5 if column == "decided" else examples[column]
            own, others = (float(number) for number in re.findall(r"([\d.]+) %", cell))
            assert own == pytest.approx(100 * values[inside].mean(), abs=0.51)
            assert others == pytest.approx(100 * values[~group].mean(), abs=0.51)
            if column != "decided":
                assert float(row.gap.split()[0]) == pytest.approx(own - others)


def test_what_is_said_of_one_error_hides_nothing_of_another(several: fc.Result) -> None:
    text = "\n".join(shown(several))
    statuses = several.findings.groupby("error")["status"].apply(set)
    assert "worse" in statuses["called:rejected"]
    for error, words in (("called:rejected", "called rejected"), ("missed:rejected", "rejected not recognised")):
        assert not {"open", "worse", "better"} & statuses[error] or words in text
    assert "no finding" not in text


def test_terminal_page_notebook_and_json_say_the_same_statuses_and_numbers(several: fc.Result) -> None:
    screen, page, notebook = screen_of(several), read_page(render(several)), read_page(notebook_view(several))
    verdict = str(json_of(several, None)["verdict"])
    rows = [[cell for cell in row if cell] for row in screen.rows]
    for found in (page.by_id("summary-shift"), notebook):
        table = found.all("table", "screen")[0].all("tbody")[0]
        cells = [[cell.text for cell in row.all() if cell.tag in ("th", "td")] for row in table.all("tr")]
        assert [[cell.replace("\u00a0", " ") for cell in row if cell] for row in cells] == rows
    for row in rows:
        assert all(cell in verdict for cell in row)
    plotted = {one.text for one in page.all("span", "group") for one in one.all("span", "status")}
    assert plotted == set(several.findings["status"]) <= set(Status)
    assert {row["status"] for row in json_of(several, None)["findings"]} == plotted  # type: ignore[attr-defined]
    order = [status for status in ("worse", "better", "word") if status in {*plotted, "word"}]
    assert list(dict.fromkeys(row.status for row in screen.rows)) == order


def test_a_word_that_carries_a_gap_is_named_and_the_group_is_open() -> None:
    found = found_in(scored(0.0, words={"nurse": 0.5}, noise=0.05))
    record = found.findings[found.findings["group"] == "night"].iloc[0]
    screen = screen_of(found)
    assert (record["status"], [row.who for row in screen.rows]) == ("open", ['"nurse"'])
    assert finding_sentence(found.word_findings.iloc[0].to_dict()).startswith(
        'The word "nurse" (not by chance), called'
    )
    carried = replace(
        found, findings=found.findings.assign(reason_code=Reason.CARRIED, carried_by="nurse", status="open")
    )
    gate = "at a limit of 10 points, each upper bound taken alone: shift inconclusive (1 pass, 1 may be above it). "
    assert shown(carried)[-2:] == [
        f"  gate      {gate}fairness-checklist gate RUN --limit 0.1",
        '  next      read the texts with "nurse" in the report: what does the model react to?',
    ]


def test_small_and_open_are_counted_and_reasons_stand_beside() -> None:
    small = found_in(scored(0.0, seed=4))
    assert set(small.findings["status"]) == {"small"}
    assert shown(small)[2:] == [
        "  small     both comparisons: at most 5 points worse.",
        "  numbers   over all sentences; called rejected, of the texts that are not rejected.",
        "  untested  other attributes, and texts other than these sentences.",
        "  gate      at a limit of 10 points, each upper bound taken alone: shift pass (2 pass). "
        "fairness-checklist gate RUN --limit 0.1",
        "  next      check each new model.",
    ]
    worse = found_in(scored(0.12))
    few = replace(worse, findings=worse.findings.assign(status="open", reason_code=Reason.FEW_WORDS, lexemes=2))
    [line] = [line for line in shown(few) if line.startswith("  open")]
    assert re.fullmatch(
        r'  open      called rejected, the group "night" \d+ % : \d+ %, \+\d+ points \(up to \d+\): only 2 words in .*',
        line,
    )
    assert re.search(
        r'to decide about the group "night", add words( to that group, about \d+ in place of 2)?\.', shown(few)[-1]
    )
    for code, words in wording.REASONS.items():
        assert words.split("{")[0].strip() in finding_sentence(few.findings.iloc[0].to_dict() | {"reason_code": code})


def test_other_words_for_the_reasons_change_no_status(monkeypatch: pytest.MonkeyPatch, several: fc.Result) -> None:
    before = [row.status for row in screen_of(several).rows], screen_of(several).record
    monkeypatch.setattr(wording, "REASONS", dict.fromkeys(wording.REASONS, "other words"))
    assert ([row.status for row in screen_of(several).rows], screen_of(several).record) == before


def test_a_tagger_says_how_often_each_group_is_missed() -> None:
    found = fc.evaluate(tagged(0.4), task="ner", attribute="names", metrics=["fnr_gap"], draws=0)
    missed = found.examples["predicted"].map(lambda tags: "B-PER" not in list(tags))
    rates = 100 * missed.groupby(found.examples["group"]).mean()
    assert (
        f"{100 * missed.mean():.0f} % of all; female names {rates['female']:.0f} %, male names 0 %" in shown(found)[2]
    )
    [row, *_] = screen_of(found).rows
    assert (row.status, row.who, row.numbers) == ("worse", "female names", f"{rates['female']:.0f} % : 0 %")


def test_without_errors_or_groups_the_reason_is_said() -> None:
    harmless = fc.evaluate(scored(0.12), metrics=["fpr_gap"], draws=0)
    assert shown(harmless)[2].strip() == (
        "No findings: called_negative (the model has no class negative) and praise_not_recognised (the model has no "
        "class positive). Declare what hurts with harm= (--harm called:CLASS)."
    )
    alone = replace(harmless, info=harmless.info | {"findings": {"shift": {"left_out": {"*": "one group"}}}})
    assert shown(alone)[2].strip() == "No findings: there is one group only."


def test_a_useless_model_is_warned_of_first() -> None:
    one_class = found_in(scored(-0.2, noise=0.01))
    assert shown(one_class)[1].startswith(
        "  warning   All labelled texts have the gold class hired, and the model predicts"
    )
    assert shown(one_class)[-1] == "  next      add texts of other classes."
    mixed = one_class.examples.assign(label=["hired", "rejected"] * (len(one_class.examples) // 2))
    assert "predicts one class for all texts: hired" in shown(replace(one_class, examples=mixed))[1]
    guess = {("a", "ta"): (0.9, 0.2, 0.1, 0.9), ("b", "tb"): (0.2, 0.9, 0.9, 0.1)}
    assert "The balanced accuracy (mean recall of 2 classes) on the 8" in shown(run(predictions("letters", guess)))[1]
    table = tagged_table()
    table["predicted"] = [["O"] * len(tokens) for tokens in table["tokens"]]
    assert "The model finds none of the names with their type" in shown(tagger_run(table))[1]


def test_rows_need_no_source_text_or_term() -> None:
    found = found_in(scored(0.12, sources=60).drop(columns=["source", "term", "text", "attribute"]), attribute="shift")
    assert shown(found)[1] == "shift · 720 rows"
    assert [row.status for row in screen_of(found).rows][:1] == ["worse"]
    assert untested(found, attribute_view(found, "shift")) == []
    assert not re.search("that mention|--templates", render(found))


def test_lines_fit_a_terminal_and_statuses_have_colours_there(
    several: fc.Result, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = first_screen(several).as_text()
    lines = [line for line in text.splitlines() if not line.startswith(("  worse", "  better", "  word ", "     "))]
    assert max(map(len, lines)) <= 100
    assert len(screen_of(several).as_text(100).splitlines()) <= 15
    assert not any(line.strip().startswith("%") for line in text.splitlines())
    monkeypatch.delenv("NO_COLOR", raising=False)
    coloured = in_colour(text)
    assert coloured != text == click.unstyle(coloured)
    monkeypatch.setenv("NO_COLOR", "1")
    assert in_colour(text) == text


def test_it_is_printed_before_any_file_of_the_run_folder_is_written(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    scored(0.12).to_csv(tmp_path / "table.csv", index=False)
    printed: list[str] = []
    monkeypatch.setattr(fc.Result, "save", lambda *_, **__: printed.append(capsys.readouterr().out))
    call = caller(monkeypatch, capsys, "evaluate", str(tmp_path / "table.csv"), "--harm", "called:rejected")
    said = call("--out", tmp_path / "run")
    assert "  worse " in printed[0]
    assert (said.code, said.out.splitlines()[0]) == (0, f"Report: {tmp_path / 'run' / 'report.html'}")


@sweep("attribute", GROUPS)
def test_every_group_that_ships_is_a_noun_in_a_sentence(attribute: str) -> None:
    kind = attribute.partition(".")[0]
    for group in filter(None, GROUPS[attribute]):
        phrase = wording.group_phrase(group, attribute)
        assert group in phrase
        assert not re.search(r"\b(names|countries|people)\b.*\b(names|countries|people) people\b", phrase), phrase
        assert not phrase.startswith(("associated", "with ", "the the ", "of ")), phrase
        if kind in ("names", "nationality"):
            assert re.findall(r"\w+", phrase.lower()).count("names" if kind == "names" else "countries") == 1, phrase
        elif not attribute.endswith("czarnowska2021") and kind not in ("control_words", "neutral"):
            assert re.search(r"people|women|men|adults|teenagers|s$|Druze$", phrase), phrase


def test_the_printed_records_have_what_a_reader_needs_first(several: fc.Result) -> None:
    head = repr(several.findings).splitlines()[0].split()
    assert head == ["group", "error", "status", "probability", "others_probability", "gap", "low", "high"]
    assert "others_rate" in repr(found_in(scored(0.12), unit="decisions").findings).splitlines()[0]
    assert DAY[0] in several.word_findings._repr_html_()
