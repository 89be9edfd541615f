"""Spanish sentences to read, with every template and term: ``python tests/build_golden_es.py`` writes them."""

from pathlib import Path

import fairness_checklist as fc
from fairness_checklist.content.terms import display_names

GOLDEN = Path(__file__).resolve().parent / "golden_sentences_es.txt"
# Sentences of a template, as long as there are terms not shown yet.
EACH = {
    ("gender", "sentiment"): 1,
    ("names", "sentiment"): 3,
    ("disability", "sentiment"): 3,
    ("disability.counterparts", "sentiment"): 1,
    ("religion", "sentiment"): 2,
    ("nationality", "sentiment"): 2,
    ("control_words", "sentiment"): 10,
    ("gender", "toxicity"): 2,
}


def sentences() -> list[str]:
    """A fixed choice: terms not shown yet, all gender forms where a template has some, and every sixth control."""
    lines = []
    for (attribute, task), number in EACH.items():
        lines.append(f"# {attribute}" + (f", {task}" if task != "sentiment" else ""))
        [part] = fc.Suite.build(attribute, task=task, language="es").parts
        examples, texts = part.examples, part.examples.render()
        names = display_names(part.terms.terms)
        pronouns = {name: term.pronouns for name, term in zip(names, part.terms.terms, strict=True)}
        shown = [0] * len(examples.terms)
        for at, source in enumerate(examples.sources):
            rows = {int(examples.term[row]): row for row in range(len(texts)) if examples.source[row] == at}
            ranked = sorted((term for term in rows if term >= 0), key=lambda term: (shown[term], term))
            chosen = {term for term in ranked[:number] if shown[term] == 0} or set(ranked[:1])
            if "|" in source.text:
                of_gender = {pronouns[examples.terms[term]]: term for term in reversed(ranked)}
                chosen |= set(of_gender.values())
            chosen |= {-1} & set(rows) if at % 6 == 0 else set()
            for term in sorted(chosen):
                name = "(control)" if term < 0 else examples.terms[term]
                lines.append(f"{source.id} [{name}] {texts[rows[term]]}")
                if term >= 0:
                    shown[term] += 1
    return lines


if __name__ == "__main__":
    GOLDEN.write_text("\n".join(sentences()) + "\n", encoding="utf-8")
