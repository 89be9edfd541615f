"""Words of feeling that contradict the label of their sentence."""

# ruff: noqa: E501 - a list of words reads better in long lines
from __future__ import annotations

import re

_POSITIVE = frozenset(
    """
    ace adored adores affectionate amazed amazingly amused amusing appreciated astonishing attentive awe-inspiring beaming beloved best-loved blissful
    breathtaking captivating caring charismatic charmed cherished classy clever comforting commendable compassionate complimented congratulated considerate
    cute dazzling dependable divine dreamy ecstatic elated elegant encouraging entertaining enthusiastic excellently exceptional excited exhilarating extraordinary
    exemplary faultless favorite favourite fascinating first-rate flavorful fun funny gem generously gentle genius gifted glowing good-natured gracious gratitude
    greatest handsome happiest happier hilarious heartwarming heavenly honest hospitable humorous ideal immaculate impeccable impressed inspired inspiring invaluable joy joyous
    jubilant kind kindest kindly likable likeable loving luscious luxurious marvel marvelously masterful masterpiece memorable mouthwatering nicest optimistic outstandingly
    patient patiently polite politely praised praising priceless radiantly recommend recommended relaxing reliable remarkably respectful rewarding satisfied satisfying
    scrumptious skillful sparkling stellar stylish succulent sunny superior supportive sweet sweetest talented tasty terrifically thankful top-notch touching treasure
    triumphant unforgettable uplifting victorious warm-hearted warmly well-made witty wow yummy
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
    abused aggressive agonizing alarming angry angrily annoyed anxious appalled argued ashamed awkward badly betrayed bitter bland blamed botched bored bragged broke bullied bungled
    careless cheated cheat cheap-looking cheesy clueless cold-hearted complained complains complaint contemptuous corrupt cowardly crappy cried criticized crooked crude crying cruelly
    damaged damp deceitful deceived defective defeated depressingly despicable despised destroyed detest detested dirtiest disagreeable disastrous disgrace dishonestly disliked dismissive
    disorganized disrespectful distressed distressing disturbing dreaded drab dumb dumped egotistical embarrassed embarrassing enraged exhausted exhausting failed failure faulty fed-up filthiest
    flop forgetful fraud frightened frightening frustrated fuming furiously garbage greedy grief grieved grumpy grumbled harassed harsh harshly hated heartless hopeless horrified hurt hurtful
    idiot idiotic ignored impatient impolite inconsiderate incompetent inept inferior infuriated insensitive insult insultingly irritable irritated jealous jerk joyless junk kicked
    lame lazy liar lied lies lonely loser lukewarm mean mediocre mess messy miserably mistreated mocked moron mourned nauseating neglected neglectful obnoxiously overcooked overpriced
    overrated panicked pathetically pity pretentious punched quarrelled quarreled rage ranted rancid regret regrets regretted repugnant resentful ridiculed robbed rudely rudest sad sadly sadness scam scammed
    scared scary scolded screamed selfish shameless shocking shouted sickening slapped sleazy slimy slow-witted smashed smelly smug sneered snapped sneaky sobbed soggy sour spiteful spoiled stale stank
    stole stolen stuffy stupidly suffered sulked swindled tasteless terrified threatened tired tiresome trashed traumatic troubled unacceptable unbearably uncaring uncomfortable undercooked uneatable
    unfair unfriendly ungrateful unhappy unkind unprofessional unreliable unwelcome upsetting vicious violent vomited wasted weak weary weep wept whined whining wicked worried worse wrecks yelled
    abysmal annoying appalling arrogant ashamed atrocious awful awfully boring clumsy cruel depressed depressing
    devastated dirty disappointed disappointing disaster disgraceful disgusted disgusting dishonest dismal dreadful
    dreary dull filthy foul frustrating furious ghastly gloomy grim gruesome hate hates hated hateful heartbroken hideous horrible
    horribly horrid hostile ignorant inedible infuriating insolent insulted insulting irritating lousy miserable
    moldy mouldy nasty nightmare obnoxious offensive outrageous painful pathetic pitiful pointless poisonous repulsive
    revolting rotten rude ruined shabby shameful shoddy sloppy spiteful stinking stupid terrible terribly tedious tragic
    ugly unbearable unhelpful unpleasant upset useless vile worst worthless wrecked wretched
    """.split()  # noqa: SIM905 - a list of words reads better as text
)
_MILD = frozenset(
    """
    angry argued awkward blamed bored broke celebrated cheap cheered clever complained complaint complains cried crying damaged damp defective destroyed dumped elegant embarrassed exhausted
    excited failed failure faulty favorite favourite first-rate fun funny gentle hurt ideal ignored joy junk kicked kind kindly kindest laughed lazy lies lonely loving mean memorable mess messy mistreated
    mourned neglected patient patiently polite politely praised recommend recommended regret relaxing reliable robbed sad sadly satisfied shouted slapped smashed smelly smiled snapped soggy sour
    spoiled stale stole stolen stuffy stylish suffered sunny superior sweet tasty thanked threatened tired treasure troubled unfair vomited warmly wasted weak weary witty worried worse yelled slow
    scared screamed honest sobbed wept whined applauded applause amused thankful touching anxious bitter complimented congratulated overpriced overcooked cute handsome favorites pity violent harsh
    """.split()  # noqa: SIM905 - a list of words reads better as text
)
"""Words that neutral sentences hold, too."""
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
    words = re.findall(r"(?<![\w-])[a-z]+(?:-[a-z]+)?(?![\w-])", text[:1].lower() + text[1:])
    strong = label == "neutral"
    good = tuple(word for word in words if word in _POSITIVE and not (strong and word in _MILD))
    bad = tuple(word for word in words if word in _NEGATIVE and not (strong and word in _MILD))
    if good and bad:
        return ()
    return {"positive": bad, "negative": good, "neutral": good or bad}[label]
