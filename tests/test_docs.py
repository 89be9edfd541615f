"""The pages in docs/: every table is what the code does, every block of code runs."""

import csv
import json
import re
import tomllib
from collections import Counter
from pathlib import Path

import pandas as pd
import pytest
from build_outcomes import registered_for_a_while
from record_outputs import FENCE, attribute_shown, dateless, demo_shown, followed, paragraphs, picture_says
from sweep import sweep

import fairness_checklist as fc
from fairness_checklist.content.grammar.language import BE_FORMS, PRONOUN_FORMS
from fairness_checklist.content.rendering import unmarked_text
from fairness_checklist.content.slot_forms import Unfit, write
from fairness_checklist.content.slots import KNOWN_SLOTS, parse
from fairness_checklist.content.templates import TEMPLATE_COLUMNS
from fairness_checklist.content.term_files import TERM_COLUMNS, attributes, load_terms
from fairness_checklist.content.terms import lexemes_of
from fairness_checklist.core.locations import DATA_FOLDERS
from fairness_checklist.core.tasks import TASKS
from fairness_checklist.models.huggingface.folders import bundled_folder, bundled_models

THREE = ["negative", "neutral", "positive"]

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
README = (ROOT / "README.md").read_text(encoding="utf-8")
WITHOUT_CODE = {"content.md", "explanations.md", "howto.md", "project.md", "reference.md"}
PAGES = sorted(path.name for path in DOCS.glob("*.md") if path.name not in WITHOUT_CODE)
Row = dict[str, str]


def page(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


def tables(text: str) -> list[list[Row]]:
    """The tables of a page, in order: a dictionary a row."""
    found = []
    for block in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE):
        cells = [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in block.splitlines()]
        cells = [[cell.replace("\\|", "|") for cell in row] for row in cells]
        found.append([dict(zip(cells[0], row, strict=True)) for row in cells[2:]])
    return found


def section(text: str, heading: str) -> str:
    """What is under a heading, up to the next one."""
    found = re.search(rf"^(#+) {re.escape(heading)}\n(.*?)(?=^#|\Z)", text, re.MULTILINE | re.DOTALL)
    assert found, heading
    return found[2]


def codes(cell: str) -> list[str]:
    """What is in backticks."""
    return re.findall(r"`([^`]+)`", cell)


def example_terms() -> dict[str, fc.IdentityTerm]:
    block = re.search(r"```csv\n(.*?)```", section(page("templates.md"), "Slots"), re.DOTALL)
    assert block
    return {row["term"]: fc.IdentityTerm(**row) for row in csv.DictReader(block[1].splitlines())}


FURTHER = Path(__file__).with_name("slots_en.md").read_text(encoding="utf-8")
SLOT_ROWS = [row for table in tables(page("templates.md") + FURTHER) if "slot" in table[0] for row in table]


@sweep("row", SLOT_ROWS)
def test_a_slot_writes_as_in_the_table(row: Row) -> None:
    [raw] = codes(row["slot"])
    [slot] = parse(raw)
    assert not isinstance(slot, str)
    written = {}
    for name, term in example_terms().items():
        one = write(slot, term)
        written[name] = "-" if isinstance(one, Unfit) else one.text

    assert written == {name: cell.replace("&nbsp;", " ") for name, cell in row.items() if name != "slot"}


def test_every_kind_of_slot_form_and_term_is_in_the_tables() -> None:
    slots = [parse(codes(row["slot"])[0])[0] for row in SLOT_ROWS]
    names = {"_".join(filter(None, (slot.family, slot.part))) for slot in slots if not isinstance(slot, str)}
    forms = {slot.form for slot in slots if not isinstance(slot, str) and slot.kind != "choice"} - {"'s", "'re"}

    assert names == set(KNOWN_SLOTS)
    assert forms == {"", "a", "the", "'m", *BE_FORMS, *PRONOUN_FORMS}
    assert {slot.kind for slot in slots if not isinstance(slot, str)} >= {"choice"}
    assert [term.pos for term in example_terms().values()] == ["adj", "pp", "noun", "place", "faith", "name"]


def test_the_unmarked_control_is_as_in_the_table() -> None:
    [table] = tables(section(page("templates.md"), "The unmarked control"))

    assert len(table) >= 4
    for row in table:
        assert (unmarked_text(parse(row["template"])) or "-") == row["unmarked"]


@sweep(("heading", "columns"), [("The terms file", TERM_COLUMNS), ("The templates file", TEMPLATE_COLUMNS)])
def test_the_columns_of_their_files_are_all_reported(heading: str, columns: tuple[str, ...]) -> None:
    [table] = tables(section(page("templates.md"), heading))

    assert [codes(row["column"])[0] for row in table] == list(columns)


def test_the_entities_of_a_template_are_as_in_the_table() -> None:
    table = tables(section(page("templates.md"), "Marked entities"))[0]
    terms = example_terms()

    assert len(table) >= 3
    for row in table:
        suite = fc.Suite.from_templates(
            codes(row["template"]), {"example": [terms[row["term"]]]}, task="ner", lists={"city": ["Leeds"]}
        )
        texts = suite.parts[0].examples.texts
        last = len(texts) - 1
        [text], [found] = texts.render(last, last + 1), texts.entities(last, last + 1)

        assert ", ".join(f"`{text[start:end]}` {kind}" for start, end, kind in found) == row["entities"]


# The files of the reference

FILE_COLUMNS = tomllib.loads((ROOT / "fairness_checklist/tables/file_columns.toml").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def run_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    suite = fc.Suite.build("gender", groups=["women", "men"], max_terms=1, templates=["generic-00?"])
    result = suite.run(lambda texts: [[0.5, 0.25, 0.25]] * len(texts), classes=THREE, progress=False)
    suite.save(tmp_path_factory.getbasetemp() / "a_suite")
    return result.save(tmp_path_factory.getbasetemp() / "a_run")


def test_the_files_of_a_run_and_the_keys_of_its_json_are_all_reported(run_folder: Path) -> None:
    info = json.loads((run_folder / "run.json").read_text(encoding="utf-8"))

    assert sorted(FILE_COLUMNS["run_folder"]) == sorted(path.name for path in run_folder.iterdir())
    assert set(FILE_COLUMNS["run_json"]) == {*info, "texts"}  # this one: only with an option


def test_the_columns_of_the_prediction_table_are_all_reported(run_folder: Path) -> None:
    written = pd.read_parquet(run_folder / "examples.parquet").columns

    assert {"p:<class>" if name.startswith("p:") else name for name in written} <= set(FILE_COLUMNS["prediction_table"])


def test_the_files_of_a_suite_are_all_reported(run_folder: Path) -> None:
    folder = run_folder.parent / "a_suite"
    files = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}

    assert {name.replace("<attribute>", "gender") for name in FILE_COLUMNS["saved_suite"]} == files


def test_the_bundled_models_and_their_figures_are_as_in_their_folders() -> None:
    [table] = tables(section(page("models.md"), "The models that come with the package"))
    reported = {codes(row["model"])[0]: row for row in table}

    assert sorted(reported) == sorted(bundled_models())
    for name, row in reported.items():
        folder = bundled_folder(name)
        test = json.loads((folder / "metrics.json").read_text(encoding="utf-8"))["test"]
        figure = test["types"]["micro"]["f1"] if "types" in test else test["macro_f1"]
        kind = "micro" if "types" in test else "macro"
        size = sum(path.stat().st_size for path in folder.iterdir()) / 2**20

        assert row["held-out figure"] == f"{kind} F1 {figure:.4f}"
        assert row["size"] == f"{size:.1f} MiB"


def test_the_tasks_and_their_classes_are_all_reported() -> None:
    [table] = tables(section(page("models.md"), "Tasks"))

    assert {codes(row["task"])[0]: tuple(codes(row["classes"])) for row in table} == {
        name: task.classes for name, task in TASKS.items()
    }


def test_the_layers_are_those_of_the_import_contract_in_their_order() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = project["tool"]["importlinter"]["contracts"]
    [layers] = [contract["layers"] for contract in contracts if contract["type"] == "layers"]

    assert [codes(row["layer"])[0] for row in tables(page("architecture.md"))[0]] == layers


def test_the_tree_of_the_architecture_has_every_module() -> None:
    package = ROOT / "fairness_checklist"
    [tree] = re.findall(r"```none\n(.*?)```", section(page("architecture.md"), "The tree"), re.DOTALL)
    named, folders = set(), [""]
    for line in tree.splitlines():
        depth, name = (len(line) - len(line.lstrip())) // 2, line.split()[0]
        del folders[depth + 1 :]
        if name.endswith("/"):
            folders.append(folders[-1] + name)
        else:
            named.add(f"{folders[-1]}{name}.py")
    modules = {path.relative_to(package).as_posix() for path in package.rglob("*.py")}

    assert named == {name for name in modules if not name.endswith(("__init__.py", "__main__.py"))}


def test_the_files_that_the_architecture_and_the_guide_for_contributors_name_exist() -> None:
    guide = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    named = re.findall(r"`((?:\w+/)+\w+\.(?:py|csv|toml))`", page("architecture.md") + guide)

    assert len(named) >= 12
    for name in named:
        assert (ROOT / name).is_file() or (ROOT / "fairness_checklist" / name).is_file(), name


CONTENT_ROWS = tables(page("content.md"))[0]


def test_all_files_of_the_product_are_reported() -> None:
    """By kinds, of which each has files."""
    kinds = {name: re.escape(name) for row in CONTENT_ROWS for name in codes(row["file"])}
    kinds = {name: form.replace("ATTRIBUTE", "[a-z_]+").replace("SET", r"\w+") for name, form in kinds.items()}
    kinds = {name: form + (r"[\w.]+\.csv" if name.endswith("/") else "") for name, form in kinds.items()}
    files = [path.relative_to(ROOT).as_posix() for name in DATA_FOLDERS for path in (ROOT / name).rglob("*.csv")]

    assert [file for file in files if not any(re.fullmatch(form, file) for form in kinds.values())] == []
    assert [name for name, form in kinds.items() if not any(re.fullmatch(form, file) for file in files)] == []


def test_the_sizes_of_a_default_run_are_those_of_the_page() -> None:
    for attribute in (name for name in attributes() if "." not in name):
        terms = load_terms(attribute).select()
        words = Counter(
            group for group, _ in {*zip((t.group for t in terms.terms), lexemes_of(terms.terms), strict=True)}
        )
        texts = (f"{len(fc.Suite.build(attribute, task=task)):,}" for task in ("sentiment", "toxicity"))
        cells = (f"`{attribute}`", len(words), f"{min(words.values())}-{max(words.values())}", *texts)
        assert f"| {' | '.join(map(str, cells))} |\n" in page("content.md")


@pytest.mark.parametrize("name", PAGES)
def test_the_code_of_a_page_runs_and_prints_what_the_page_says(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the day; `python docs/record_outputs.py` writes new outputs."""
    monkeypatch.chdir(tmp_path)
    assert {kind for kind, _ in FENCE.findall(page(name))} <= {"csv", "toml", "python", "pycon", "bash", "text", "none"}
    with registered_for_a_while():
        now = followed(page(name))
    assert dateless(now) == dateless(page(name))


def test_readme_first_page_and_picture_show_one_run() -> None:
    printed = "".join(block for kind, block in FENCE.findall(page("index.md")) if kind == "text")
    shown, of_toxicity = paragraphs(printed), [key for key in paragraphs(demo_shown(README)) if key[0] == "toxicity"]

    assert attribute_shown(printed, "toxicity", "religion") == picture_says()
    assert of_toxicity[:2] == [("toxicity", "", ""), ("toxicity", "religion", "table")]
    for key in of_toxicity:
        assert dateless(paragraphs(demo_shown(README))[key]) == dateless(shown[key])


NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
CONSTANTS = {  # numbers of the texts that are no outputs -> why
    "README.md": {
        "3.11": "Python", "2.0": "licence", "2020": "a year", "2021": "a year", "0.1": "an option", "5": "the margin",
        "49": "counted in test_readme",
    },
    "index.md": {"3.11": "Python", "20": "minutes of the tutorial", "0": "no gap"},
    "tutorial.md": {"3.11": "Python", "95": "bounds hold in 95 of 100 tests", "100": "the same"},
    "report.md": {
        "95": "bounds hold in 95 of 100 tests", "100": "the same", "0": "no gap", "13": "the form of bounds",
        "20": "the form of a sample", "410": "the same", "55": "balanced accuracy of no use", "40": "the same",
    },
    "plan.md": {"100": "of 100 data sets", "5": "the default margin"},
    "lenses.md": {"0": "simulations, named with their program"},
    "weighting.md": {"2000": "a year"},
}  # fmt: skip
WHOLE = ("README.md", "index.md", "tutorial.md", "report.md")
"""Pages whose whole text is about their outputs; of the others it is the paragraph below an output."""


def cited(text: str, *, whole: bool) -> set[str]:
    """The numbers of a page's text, but for headings, tables below an output, and the targets of links."""
    parts = FENCE.split(text)  # a text, then the kind of a block, the block, a text, and so on
    below = [prose for kind, prose in zip(["", *parts[1::3]], parts[::3], strict=True) if kind in ("text", "pycon")]
    read = parts[::3] if whole else [prose.strip().split("\n\n")[0] for prose in below]
    left_out = r"\]\([^)]*\)|^#.*" if whole else r"\]\([^)]*\)|^[#|].*"
    return set(NUMBER.findall(re.sub(left_out, "", "\n".join(read), flags=re.MULTILINE)))


@sweep("name", ["README.md", *PAGES])
def test_the_numbers_of_a_text_are_in_the_outputs_of_its_page(name: str) -> None:
    text = README if name == "README.md" else page(name)
    outputs = text + page("index.md") if name == "report.md" else text  # whose examples are of the first page
    known = set(NUMBER.findall("".join(block for _, block in FENCE.findall(outputs))))

    assert sorted(cited(text, whole=name in WHOLE) - known - CONSTANTS.get(name, {}).keys()) == []


@sweep("name", [*PAGES, "content.md"])
def test_the_links_of_a_page_lead_somewhere(name: str) -> None:
    for target in re.findall(r"[`(]((?:docs/)?\w+\.md)[`)]", page(name)):
        assert (DOCS / target.removeprefix("docs/")).is_file() or (ROOT / target).is_file(), target
