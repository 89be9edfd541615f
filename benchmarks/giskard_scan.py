"""A whole scan of Giskard (its detector of ethical bias) and a whole run of ours with one classifier, by hand.

    python benchmarks/giskard_scan.py ROWS.csv --giskard /an/environment/with/giskard/bin/python

ROWS.csv has the columns text and label (negative, neutral, positive). Giskard changes the words for gender, religion
and nationality in these rows; ours fills its suites for the same attributes. Each is a process of its own, whose
seconds of a clock are those of everything: imports, the model, the result. Giskard 2.19 needs pandas below 3 and numpy
below 2.
"""

from __future__ import annotations

import argparse
import importlib
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

MODEL = Path(__file__).parents[1] / "fairness_checklist" / "bundled_models" / "sentiment"
ATTRIBUTES = "gender,religion,nationality"


def scan(rows: Path) -> dict[str, float]:
    """The seconds of the scan itself, the texts that the model was asked for in it, and the issues."""
    giskard, torch, transformers, pandas = map(importlib.import_module, ("giskard", "torch", "transformers", "pandas"))
    tokenizer = transformers.AutoTokenizer.from_pretrained(MODEL)
    model = transformers.AutoModelForSequenceClassification.from_pretrained(MODEL).eval()
    asked = 0

    def predict(table: Any) -> Any:
        nonlocal asked
        texts = table["text"].tolist()
        asked += len(texts)
        with torch.no_grad():
            batches = (texts[start : start + 64] for start in range(0, len(texts), 64))
            inputs = (tokenizer(batch, padding=True, truncation=True, return_tensors="pt") for batch in batches)
            return torch.cat([model(**batch).logits.softmax(-1) for batch in inputs]).numpy()

    classes = list(model.config.id2label.values())
    wrapped = giskard.Model(predict, model_type="classification", classification_labels=classes, feature_names=["text"])
    data = giskard.Dataset(pandas.read_csv(rows), target="label", cat_columns=[])
    asked, start = 0, time.perf_counter()
    report = giskard.scan(wrapped, data, only="ethical_bias", verbose=False, raise_exceptions=True)
    return {"seconds": time.perf_counter() - start, "texts": asked, "issues": len(report.issues)}


def timed(command: list[str]) -> tuple[float, str]:
    """The seconds of a process, and what it printed."""
    start = time.perf_counter()
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return time.perf_counter() - start, done.stdout


def main() -> None:
    """Read the command line, run both, and print a line for each."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("rows", type=Path, nargs="?")
    parser.add_argument("--giskard", help="the Python of its environment; without it, this process scans")
    parser.add_argument("--quick", action="store_true", help="do nothing: it needs an environment of its own")
    options = parser.parse_args()
    if options.quick or options.rows is None:
        print("Run by hand: python benchmarks/giskard_scan.py ROWS.csv --giskard PYTHON")
        return
    if not options.giskard:
        print(json.dumps(scan(options.rows)))
        return
    with tempfile.TemporaryDirectory() as folder:
        ours = ["run", "--model", str(MODEL), "--attribute", ATTRIBUTES, "--out", f"{folder}/run", "--no-preview"]
        seconds, _printed = timed([sys.executable, "-m", "fairness_checklist", *ours])
        texts = importlib.import_module("pyarrow.parquet").read_metadata(f"{folder}/run/examples.parquet").num_rows
    print(f"ours: {seconds:.1f} s in all; {texts:,} texts")
    seconds, printed = timed([options.giskard, __file__, str(options.rows)])
    print(f"giskard: {seconds:.1f} s in all; {printed.splitlines()[-1]}")


if __name__ == "__main__":
    main()
