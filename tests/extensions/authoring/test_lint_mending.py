"""lint --fix: what it mends, that all else stays as it is, and that no file of ours is touched unasked."""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path

import pytest

from fairness_checklist.cli import app as cli
from fairness_checklist.core.errors import OptionError
from fairness_checklist.extensions.authoring.lint.findings import WARNINGS
from fairness_checklist.extensions.authoring.lint.lint_and_fix import autofix, lint

SEEDED = Path(__file__).resolve().parent / "seeded_errors"
TERMS = "term,group,status,source,flags\ndeaf,deaf,accepted,ours,thin\nimplanted,other,accepted,ours,thin\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with an attribute "hearing" of the user's."""
    for name in ("templates", "identity_terms"):
        (tmp_path / name).mkdir()
    (tmp_path / "identity_terms" / "hearing.csv").write_text(TERMS, encoding="utf-8")
    return tmp_path


def templates_of(folder: Path, *lines: str) -> Path:
    path = folder / "templates" / "hearing.csv"
    path.write_text("\n".join(["template", *lines]) + "\n", encoding="utf-8")
    return path


MECHANICAL = (
    ("{A:identity_np}  won.", "{A:identity_np} won."),
    ("{A:identity_np} won .", "{A:identity_np} won."),
    ("{A:identity_np} won the the cup.", "{A:identity_np} won the cup."),
    ("{A:identity_np} won the the cup in Bora Bora.", "{A:identity_np} won the cup in Bora Bora."),
    ("{A:identity_np}  won :) and left ;-) !", "{A:identity_np} won :) and left ;-)!"),
    ("{A:identity_np} said that that that is so so.", "{A:identity_np} said that that that is so."),
    ("I met {an:identity_np}.", "I met {a:identity_np}."),
    ("{An:identity.usher} won.", "{A:identity.usher} won."),
    ("I met { a:identity_np }.", "I met {a:identity_np}."),
    ("I met a {identity_np}.", "I met {a:identity_np}."),
    ("An {identity.writer} won.", "{A:identity.writer} won."),
    ("{A:identity_np} waited a hour.", "{A:identity_np} waited an hour."),
    ("{a:identity_np} won.", "{A:identity_np} won."),
    ("yesterday {a:identity_np} won.", "Yesterday {a:identity_np} won."),
    ("Yesterday {A:identity_np} won.", "Yesterday {a:identity_np} won."),
    ("We met. {a:identity_np} won.", "We met. {A:identity_np} won."),
    ("We met. then {a:identity_np} won.", "We met. Then {a:identity_np} won."),
    ("On monday i met {a:identity_np}.", "On Monday I met {a:identity_np}."),
)


def test_what_is_mechanical_is_fixed(folder: Path) -> None:
    before, after = zip(*MECHANICAL, strict=True)
    path = templates_of(folder, *before)

    fixed, findings = autofix(folder)
    assert {finding.rule for finding in findings} == {"duplicate"}  # several are the same when they are fixed
    assert [(one.place, one.before, one.after) for one in fixed] == [
        (f"{path}:{number}", *pair) for number, pair in enumerate(MECHANICAL, start=2)
    ]
    assert path.read_text(encoding="utf-8") == "\n".join(["template", *after]) + "\n"


def test_what_is_not_is_reported_and_stays(folder: Path) -> None:
    path = templates_of(folder, "I met two {identity.writer}.", "{A:identity_np won.", "I met {identity_np}.")
    before = path.read_bytes()

    fixed, findings = autofix(folder)
    assert fixed == []
    assert findings == lint(folder)
    assert [finding.rule for finding in findings] == ["agreement", "parse", "article"]
    assert path.read_bytes() == before


def test_all_other_bytes_stay(folder: Path) -> None:
    path = folder / "templates" / "hearing.csv"
    content = (
        "\ufeff# a comment;\r\ntemplate;label;id\r\n"
        '"{A:identity_np} won; the the ""cup"".";;a\r\n'
        "\r\n# another\r\n{A:identity_np}  left.;;  b \r\n"
        '"{A:identity_np} said:\n""well"".";;c'
    )
    path.write_bytes(content.encode("utf-8"))

    fixed, findings = autofix(folder)
    assert findings == []
    assert [one.place for one in fixed] == [f"{path}:3", f"{path}:6"]
    assert path.read_bytes().decode("utf-8") == content.replace("the the", "the").replace("}  left", "} left")


def test_parts_of_speech_and_statuses_lose_their_capitals(folder: Path) -> None:
    path = folder / "identity_terms" / "hearing.csv"
    path.write_text(
        "term,group,pos,status,source,flags\ndeaf,deaf,ADJ,Accepted,ours,thin\ntall,tall,adj,accepted,Ours,Thin\n",
        "utf-8",
    )

    fixed, findings = autofix(folder)
    assert [str(one) for one in fixed] == [
        f"{path}:2: 'ADJ' is now 'adj'",
        f"{path}:2: 'Accepted' is now 'accepted'",
    ]
    assert findings == []
    assert "tall,tall,adj,accepted,Ours,Thin" in path.read_text(encoding="utf-8")


def test_the_seeded_folder_is_fixed_where_it_can_be_and_only_there(tmp_path: Path) -> None:
    shutil.copytree(SEEDED / "mixed", tmp_path / "mixed")
    fixed, findings = autofix(tmp_path / "mixed")

    changed = {one.place for one in fixed}
    assert not changed & {finding.place for finding in findings if finding.rule not in WARNINGS}
    assert len(changed) == 16
    for path in sorted((SEEDED / "mixed").rglob("*.csv")):
        copy = tmp_path / "mixed" / path.relative_to(SEEDED / "mixed")
        pairs = zip(path.read_text("utf-8").split("\n"), copy.read_text("utf-8").split("\n"), strict=True)
        differing = {f"{copy}:{line}" for line, (old, new) in enumerate(pairs, start=1) if old != new}
        assert differing == {place for place in changed if place.startswith(f"{copy}:")}
    assert autofix(tmp_path / "mixed") == ([], findings)


def test_shipped_files_change_only_on_request() -> None:
    with pytest.raises(OptionError) as error:
        autofix(None)
    assert str(error.value) == "no folder is given.\n    Write: lint --fix FOLDER."


def test_the_verb_explains_what_it_fixed(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def call(*arguments: str) -> tuple[int, str]:
        monkeypatch.setattr("sys.argv", ["fairness-checklist", "lint", *arguments])
        try:
            cli.main()
            code = 0
        except SystemExit as exit_:
            code = int(exit_.code or 0)
        return code, capsys.readouterr().out

    path = templates_of(folder, "{A:identity_np}  won.", "I met two {identity.writer}.")
    fault = "{identity.writer} comes after 'two': write the plural."
    code, output = call(str(folder), "--fix")
    assert (code, output) == (
        1,
        f"Fixed: {path}:2: '{{A:identity_np}}  won.' is now '{{A:identity_np}} won.'\n"
        f"{path}:3: agreement: {fault}\n1 finding.\n",
    )
    templates_of(folder, "{A:identity_np}  won.")
    code, output = call(str(folder), "--fix", "--json")
    assert code == 0
    assert json.loads(output) == {
        "fixed": [{"place": f"{path}:2", "before": "{A:identity_np}  won.", "after": "{A:identity_np} won."}],
        "findings": [],
    }
    assert call(str(folder)) == (0, "No findings in 1 template and 2 terms.\n")


def test_a_fixed_file_can_be_read_by_others(folder: Path) -> None:
    path = templates_of(folder, '"{A:identity_np} won , easily."')
    autofix(folder)
    with path.open(encoding="utf-8", newline="") as file:
        assert list(csv.reader(file)) == [["template"], ["{A:identity_np} won, easily."]]
