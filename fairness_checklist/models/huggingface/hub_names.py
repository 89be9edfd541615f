"""The organisations of well-known models on the hub, for names that are written without one."""

from __future__ import annotations

from collections.abc import Mapping

ORGANISATIONS: Mapping[str, str] = {
    "albert-": "albert",
    "bert-": "google-bert",
    "bert-base-multilingual-uncased-sentiment": "nlptown",
    "bert-base-ner": "dslim",
    "bert-large-ner": "dslim",
    "bert-large-cased-finetuned-conll03": "dbmdz",
    "bertweet-base-sentiment-analysis": "finiteautomata",
    "deberta-": "microsoft",
    "distilbert-": "distilbert",
    "distilbert-ner": "dslim",
    "distilroberta-": "distilbert",
    "electra-": "google",
    "emotion-english-distilroberta-base": "j-hartmann",
    "finbert": "ProsusAI",
    "mdeberta-": "microsoft",
    "roberta-": "FacebookAI",
    "roberta-hate-speech-dynabench": "facebook",
    "sentiment-roberta-large-english": "siebert",
    "toxic-bert": "unitary",
    "twitter-roberta-": "cardiffnlp",
    "twitter-xlm-roberta-": "cardiffnlp",
    "unbiased-toxic-roberta": "unitary",
    "xlm-roberta-": "FacebookAI",
}
"""How the name of a model begins, in small letters -> the organisation; the longest beginning counts."""


def with_organisation(name: str) -> str:
    """The hub id that a name without an organisation probably means; "" where none is known.

    >>> with_organisation("distilbert-base-uncased-finetuned-sst-2-english")
    'distilbert/distilbert-base-uncased-finetuned-sst-2-english'
    >>> with_organisation("bert-base-NER"), with_organisation("my-model")
    ('dslim/bert-base-NER', '')
    """
    known = [beginning for beginning in ORGANISATIONS if name.casefold().startswith(beginning)]
    return f"{ORGANISATIONS[max(known, key=len)]}/{name}" if known and "/" not in name else ""
