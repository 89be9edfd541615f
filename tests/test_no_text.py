"""A run without texts: no file that it writes holds a sentence, also not the store, the shards and what failed."""

from __future__ import annotations

import html
import json
import sqlite3
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from fairness_checklist.api import Suite
from fairness_checklist.cli import app
from fairness_checklist.models.load import load_model
from fairness_checklist.models.shards import score_shard

TEMPLATES = [
    "Zorblax met {a:identity.writer} in Quuxville & left.",
    'My neighbour Frobnicate knows {identity_pl} from "Plughs" town.',
    "The xyzzy said that {a:identity_np} was grobbly.",
    "Wibble wobble, {identity_pl} are flumptious.",
    "Yesterday {identity_pl} were plonked by Thudford.",
]
TERMS = {"deaf": ["deaf", "hard-of-hearing"], "hearing": ["hearing", "able-eared"]}
OF_PERSONS = [
    "{person} met [Zorblax](PER) in Quuxville.",
    *(f"Frobnicate told {{person}} of Thud{n}." for n in range(5)),
]
PERSONS = {"a": ["Plonkina", "Wibblette"], "b": ["Grobbo", "Xyzzyer"]}


def scores(texts: list[str]) -> list[list[float]]:
    for text in texts:
        if "hard-of-hearing writer" in text:
            raise ValueError(f"cannot read {text!r}")
    return [[0.25, 0.75] if "deaf" in text else [0.75, 0.25] for text in texts]


def spans(texts: list[str]) -> list[Any]:
    for text in texts:
        if "Grobbo met" in text:
            raise ValueError(f"cannot read {text!r}")
    return [[(0, 4, "PERSON")] for _ in texts]


def contents(path: Path) -> str:
    """All that a file holds: its bytes as text, the cells of a Parquet table and of a SQLite store, unpacked."""
    raw = path.read_bytes()
    found = [raw.decode("utf-8", "replace"), raw.decode("utf-16-le", "replace")]
    if path.suffix == ".parquet":
        table = pq.read_table(path)
        found += [str(table.schema.metadata), str(table.to_pydict())]
    if raw.startswith(b"SQLite"):
        with sqlite3.connect(path) as store:
            names = [name for (name,) in store.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
            cells = [cell for name in names for row in store.execute(f'SELECT * FROM "{name}"') for cell in row]
        store.close()
        for cell in cells:
            found.append(cell.decode("utf-8", "replace") if isinstance(cell, bytes) else str(cell))
            if isinstance(cell, bytes) and cell[:1] == b"\x78":
                found.append(zlib.decompress(cell).decode("utf-8", "replace"))
    return "\n".join(found)


def written(folder: Path, sentences: Sequence[str]) -> dict[str, int]:
    """How many of the sentences, or of their first four words, each file holds, as they are or escaped."""
    starts = [" ".join(text.split()[:4]) for text in sentences]
    forms = {
        text: {text, start, json.dumps(text)[1:-1], html.escape(text), html.escape(text, quote=False)}
        for text, start in zip(sentences, starts, strict=True)
    }
    files = {str(one.relative_to(folder)): contents(one) for one in folder.rglob("*") if one.is_file()}
    return {
        name: sum(any(form in content for form in wanted) for wanted in forms.values())
        for name, content in files.items()
    }


@pytest.mark.parametrize(
    ("task", "templates", "terms", "function"),
    [("sentiment", TEMPLATES, TERMS, scores), ("ner", OF_PERSONS, PERSONS, spans)],
)
def test_a_run_store_and_shards(
    tmp_path: Path, task: str, templates: list[str], terms: dict[str, list[str]], function: Callable[..., Any]
) -> None:
    suite = Suite.from_templates(templates, terms=terms, task=task)
    texts = [str(text) for text in suite.to_frame()["text"]]
    options: dict[str, Any] = {"classes": ["negative", "positive"]} if task == "sentiment" else {}
    model = load_model(function, task=task, name="mine", batch_size=len(texts), **options)
    (tmp_path / "kept").mkdir()
    result = suite.run(model, store=tmp_path / "kept" / "store.sqlite")
    assert [one["error"][:24] for one in result.results.info["failed"]] == ["ValueError: cannot read "]
    result.save(tmp_path / "kept" / "run", text=False)
    score_shard(model, texts, tmp_path / "kept" / "shards", (1, 1))
    found = written(tmp_path / "kept", texts)
    assert {name for name in found if name.endswith((".sqlite", ".html", ".json"))} == {
        *("store.sqlite", "run/report.html", "run/run.json")
    }
    assert sum(name.startswith("shards") for name in found) == 1
    assert {name for name, n in found.items() if n} == set()
    result.save(tmp_path / "with_texts")  # the search finds them where they are
    found = written(tmp_path / "with_texts", texts)
    assert found["examples.parquet"] >= len(texts) - 1
    assert found["run.json"] >= 1
    assert found["report.html"] >= 1


def test_the_verb_with_a_shard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The cache of the user is within the folder that is searched."""
    kept = tmp_path / "kept"
    monkeypatch.setenv("XDG_CACHE_HOME", str(kept / "cache"))
    lines = ['"' + text.replace('"', '""') + '",positive,sentiment' for text in TEMPLATES]
    (tmp_path / "mine.csv").write_text("\n".join(["template,label,task", *lines]), encoding="utf-8")
    groups = ["--attribute", "gender", "--groups", "women,men", "--max-terms", "2"]
    shared = [*groups, "--templates", str(tmp_path / "mine.csv")]
    verb = ["run", *shared, "--no-text", "--no-placebo", "--draws", "0", "--out", str(kept / "run")]
    predict = ["predict", *shared, "--to-file", str(tmp_path / "texts.csv")]
    found = set()
    for arguments in (predict, [*verb, "--shard", "1/1"], verb):
        done = CliRunner().invoke(app, arguments)
        assert done.exit_code == 0, done.exception
        texts = pd.read_csv(tmp_path / "texts.csv")["text"].tolist()
        assert any(text.startswith("My neighbour Frobnicate knows") for text in texts)
        files = written(kept, texts)
        assert {name for name, n in files.items() if n} == set()
        found |= set(files)
    assert "run/report.html" in found
    assert any(name.startswith(".run.chunks") for name in found)
