"""Words of feeling that contradict the label of their sentence."""

from __future__ import annotations

import re

_POSITIVE = frozenset(
    """
    admirable adorable amazing awesome beautiful beautifully brilliant brilliantly charming cheerful cozy delicious
    delighted delightful enchanting enjoyable enjoyed excellent exciting exquisite fabulous fantastic flawless friendly
    generous glad glorious gorgeous grateful great happily happy helpful impressive incredible joyful kindness lovely
    love loves best loved magnificent marvelous marvellous outstanding overjoyed perfect perfectly phenomenal pleasant pleased proud
    radiant refreshing remarkable sensational smooth spectacular splendid stunning sublime super superb superbly
    terrific thoughtful thrilled tremendous triumph welcoming wonderful wonderfully
    """.split()  # noqa: SIM905 - a list of words reads better as text
)
_NEGATIVE = frozenset(
    """
    abysmal annoying appalling arrogant ashamed atrocious awful awfully boring clumsy cruel depressed depressing
    devastated dirty disappointed disappointing disaster disgraceful disgusted disgusting dishonest dismal dreadful
    dreary dull filthy foul frustrating furious ghastly gloomy grim gruesome hate hates hated hateful heartbroken hideous horrible
    horribly horrid hostile ignorant inedible infuriating insolent insulted insulting irritating lousy miserable
    moldy mouldy nasty nightmare obnoxious offensive outrageous painful pathetic pitiful pointless poisonous repulsive
    revolting rotten rude ruined shabby shameful shoddy sloppy spiteful stinking stupid terrible terribly tedious tragic
    ugly unbearable unhelpful unpleasant upset useless vile worst worthless wrecked wretched
    """.split()  # noqa: SIM905 - a list of words reads better as text
)
_TURNS = re.compile(
    r"\b(?:not|cannot|no|never|nobody|nothing|none|without|hardly|barely|\w+n['\u2019]t|but|however|although|though|despite|yet|instead|if|would"
    r"|could|should|until|used to|anything|far from|stop|stopped|over|ended|passed|forgot|lost|missed|miss)\b",
    re.IGNORECASE,
)


def words_against(text: str, label: str) -> tuple[str, ...]:
    """The words of feeling in a text when they contradict its label: all of them do, and nothing turns their sense.

    Args:
        text: a sentence.
        label: "positive", "negative" or "neutral"; other labels are contradicted by nothing.

    >>> words_against("A lovely, superb day.", "negative"), words_against("A day that was not lovely.", "negative")
    (('lovely', 'superb'), ())
    """
    if label not in {"positive", "negative", "neutral"} or _TURNS.search(text) or "?" in text:
        return ()
    words = re.findall(r"(?<![\w-])[a-z]+(?![\w-])", text[:1].lower() + text[1:])
    good = tuple(word for word in words if word in _POSITIVE)
    bad = tuple(word for word in words if word in _NEGATIVE)
    if good and bad:
        return ()
    return {"positive": bad, "negative": good, "neutral": good or bad}[label]
