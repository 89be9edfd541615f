"""With ``--no-text`` no file holds a sentence: tables, report, store, and what a run that stopped leaves."""

import html
import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow.parquet as pq
import pytest
from command_line import caller
from endpoint_server import chat, question, serving

from fairness_checklist import Suite, load_model
from fairness_checklist.tables.texts import hash_texts

pytestmark = pytest.mark.usefixtures("paged")
PACKED = {".parquet", ".sqlite"}
PLAIN = {".csv", ".json", ".html"}


def contents(path: Path) -> str:
    """All that a file says: its bytes, and the values that are packed in them."""
    assert path.suffix in PACKED | PLAIN, f"{path.name} is of a kind that this test cannot read"
    data = path.read_bytes()
    text = data.decode("utf-8", errors="replace") + data.decode("utf-16-le", errors="replace")
    if path.suffix == ".json":
        text += str(json.loads(data))
    elif path.suffix == ".parquet":
        text += str(pd.read_parquet(path).to_dict("list")) + str(pq.read_metadata(path).metadata)
    elif path.suffix == ".sqlite":
        with closing(sqlite3.connect(path)) as connection:
            for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
                text += str(connection.execute(f"SELECT * FROM {name}").fetchall())
    return (text + html.unescape(text)).lower()


def holding(folder: Path, texts: set[str]) -> set[str]:
    """The files below a folder that hold one of the texts, in capitals or not, without its last character."""
    wanted = {text.lower()[:-1] for text in texts}
    said = {path.name: contents(path) for path in folder.rglob("*") if path.is_file()}
    assert said
    return {name for name, content in said.items() if any(text in content for text in wanted)}


def fails(text: str) -> bool:
    return sum(map(ord, text)) % 41 == 0


def test_no_file_of_the_command_line_holds_a_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    work, asked, n_answers = tmp_path / "work", {"the quokka ."}, 10**6
    work.mkdir()
    monkeypatch.chdir(work)
    monkeypatch.setenv("XDG_CACHE_HOME", str(work / "cache"))
    rows = [f"The quokka number {at} saw a {('woman', 'man')[at % 2]} in the house.,negative" for at in range(120)]
    (tmp_path / "texts.csv").write_text("\n".join(["text,label", *rows]) + "\n", encoding="utf-8")

    settings = '[endpoint]\nprompts = ["{{text}}\\n{{options}}"]\nanswers = "text"\norders = 1\nattempts = 1\n'
    (tmp_path / "fairness.toml").write_text(settings, encoding="utf-8")
    code = "def predict(texts):\n    return [{'negative': p(text), 'positive': 1 - p(text)} for text in texts]\n\n\n"
    code += "def p(text):\n    return float('nan') if sum(map(ord, text)) % 41 == 0 else 0.25 + len(text) % 5 / 10\n"
    (tmp_path / "ours.py").write_text(code, encoding="utf-8")

    def answer(body: Any) -> Any:
        asked.add(question(body).split("\n")[0])
        return (500, {}, "down") if len(server.bodies) > n_answers else chat("ABC"[len(str(body)) % 3])

    def call(out: str, *more: str) -> tuple[int, str]:
        source = ["--texts", "../texts.csv", "-a", "gender", "--groups", "women,men", "--out", out]
        code, *said = caller(monkeypatch, capsys, "run")(*source, *more)
        return code, "".join(said)

    def left() -> set[str]:
        return {path.suffix for path in work.rglob("*") if path.is_file()}

    with serving(answer) as server:
        n_answers = 60
        model = ["--endpoint", server.url, "--model", "tiny", "--config", "../fairness.toml"]
        assert call("runs/y", "--no-text", *model)[0] == 2
        assert (left(), holding(work, asked)) == ({".sqlite"}, set())
        n_answers = 10**6
        assert call("runs/y", "--no-text", *model)[0] == 0
        assert left() == PLAIN | {".parquet"}
        assert holding(work, asked) == set()
    model = ["--model", "../ours.py:predict"]
    code, said = call("runs/z", "--no-text", *model, "--json")
    assert (code, "quokka" in said, holding(work, asked)) == (0, False, set())
    failed = json.loads(Path("runs/z/run.json").read_text(encoding="utf-8"))["failed"]
    assert {failure["text"] for failure in failed} <= set(hash_texts(text for text in asked if fails(text)))
    assert len(failed) > 1
    assert call("runs/x", *model)[0] == 0  # what the search finds where texts are kept
    assert holding(work / "runs" / "x", asked) >= {"examples.parquet", "report.html", "run.json"}


def raises(texts: list[str]) -> list[Any]:
    if any(map(fails, texts)):
        raise ValueError(next(filter(fails, texts)))
    return [[(0, 1, "PER")] for _ in texts]


def wrong(texts: list[str]) -> list[Any]:
    return [[{"start": 0, "label": text}] if fails(text) else [(0, 1, "PER")] for text in texts]


@pytest.mark.parametrize(("model", "kind"), [(raises, "ValueError"), (wrong, "PredictionError")])
def test_the_error_of_a_text_is_kept_without_what_it_quotes(model: Any, kind: str, tmp_path: Path) -> None:
    suite = Suite.build("nationality", task="ner", max_terms=1, templates=["ner-0*"])
    store = tmp_path / "store.sqlite"
    loaded = load_model(model, task="ner", name="mine")
    result = suite.run(loaded, metrics=["fnr_gap", "avg_if"], draws=0, control_words=False, progress=False, store=store)
    texts = {one["text"] for one in result.info["failed"]}
    assert texts == {str(text) for text in suite.texts() if fails(text)}
    result.save(tmp_path / "kept")
    result.save(tmp_path / "run", text=False)
    assert "run.json" in holding(tmp_path / "kept", texts)
    assert contents(store)
    store.rename(tmp_path / "run" / "store.sqlite")
    assert holding(tmp_path / "run", {*texts, *list(suite.texts())[::20]}) == set()
    failed = json.loads((tmp_path / "run" / "run.json").read_text(encoding="utf-8"))["failed"]
    assert {one["error"] for one in failed} == {kind}
