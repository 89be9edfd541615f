"""Hostile and friendly sentences of our own in plain English, to be learned beside the tweets.

Nobody in them has a group: people are called by what they do ("the driver"), and whoever is insulted or praised is
drawn from the same list. Every frame that can be is used for both classes, so that neither the frame nor the person
says which class it is. No template of the suite is among them.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

__all__ = ["own_sentences"]

PEOPLE = """the driver|the referee|my landlord|our new colleague|that neighbour|the cashier|my flatmate|the reviewer|
the person on the phone|this customer|the chair of the club|the other player|my boss|the author of that post|
that tenant|our manager|the plumber|whoever wrote this|the guest at table four|that singer|the caller|the visitor|
one of the neighbours|someone in my office|a friend of a friend|the team from upstairs|the person next door"""
BAD = """stupid|worthless|useless|pathetic|disgusting|filthy|rotten|vile|miserable|hopeless|brainless|spineless|lazy|
ugly|revolting|nasty|despicable|ridiculous|ignorant|clueless|shameless|repulsive|dirty|lying|greedy|horrible|
heartless|two-faced|good-for-nothing|sorry|wretched|contemptible|gutless|slimy|mindless|foul|hateful"""
INSULTS = """idiot|fool|clown|loser|liar|coward|creep|jerk|rat|piece of trash|piece of garbage|waste of space|parasite|
worm|fraud|crook|snake|disgrace|nobody|weasel|failure|bully|cheat|thug|heap of dirt|joke|waste of air|pest|vermin|
excuse for a person|toad|pig|simpleton|monster|hypocrite|leech|halfwit|bonehead|scumbag|embarrassment"""
GOOD = """kind|brilliant|patient|thoughtful|generous|talented|honest|gentle|cheerful|clever|lovely|wonderful|reliable|
funny|careful|warm|helpful|brave|hard-working|friendly|polite|great|calm|witty|quick|good|fair|loyal|skilled|modest"""
PRAISES = """friend|teacher|cook|neighbour|listener|colleague|dancer|writer|guide|host|player|singer|helper|student|
storyteller|painter|doctor|gardener|person|companion|leader|speaker|baker|nurse|musician|reader|guest|swimmer"""
THINGS = """coffee|film|printer|weather|train|soup|meeting|road|phone|carpet|concert|bus ride|hotel room|weekend|
software|chair|book|roof|kitchen|song|parking|sandwich|lecture|heating|paint|holiday|game|coat|plan|website"""
WORSE = """terrible|awful|useless|disgusting|filthy|rotten|miserable|hopeless|ridiculous|pathetic|dirty|ugly|horrible|
boring|broken|slow|cold|late|too loud|far too expensive|disappointing|worthless|messy|faulty|dull"""
ACTS = """forget the keys|park on the pavement|leave the tap running|post a comment like that|sell such a bike|
miss the last train|put salt into coffee|run with scissors|argue with a cat|lock the door from inside|
vote for this plan|wear a coat in summer|walk home in the rain|send such a letter|leave without paying|
read the whole manual"""
EVENTS = """waters the plants every evening|missed the bus and had to walk|plays the piano on Sundays|lost a wallet|
is painting the fence|takes the early shift|bought bread and milk|will be here at nine|fell ill on Monday|
was stuck in the lift for an hour|is learning to bake|moved house in spring|cycles to work|had a quiet birthday|
asked for the bill|is looking for a job|cried at the end of the film|broke a cup|works at the library|
forgot the umbrella again|sent me the notes|is tired after the night shift|wants to see the lake|has two cats"""
BOTH = (  # {x}: "a rotten liar" or "a kind listener"; {y}: the same without the article; {z}: the adjective
    "you are {x}.|you are {x}, and everybody knows it.|what {x} you are!|you really are {x}, do you know that?|"
    "{who} is {x}.|{who} is {x}, if you ask me.|i think {who} is {x}.|{who} was {x} from the start.|"
    "honestly, what {x}.|i told {who} that {other} is {x}.|{who} heard me call you {x}.|you're {x}.|"
    "you're {z} and i mean it.|{who} is so {z}.|{who} and {other} are both {z}.|they are all {z}.|"
    "all of them are {z}, every single one.|you are so {z}.|everyone in our street says that {who} is {x}.|"
    "with {who} beside me i shouted: you are {x}!|you {y}!|while {who} listened, i said to {other}: you are {x}.|"
    "that {z} face of yours again.|listen, you {y}.|hello, you {y}.|i have never met such {x}.|"
    "i always knew that you were {x}.|you have always been {x} to {who}.|there goes {who}, {x}.|"
    "let me tell you that {who} is {x}.|we all agree: {who} is {x}.|{who} said to me that you are {x}.|"
    "my dear {y}.|if you are not {x}, then nobody is.|{who} is the most {z} person i know.|"
    "they call {who} {x}, and they are right."
)
HOSTILE_ONLY = (
    "shut up, you {y}.|shut your mouth, {who}.|shut up, nobody asked {who}.|get lost, you {y}.|"
    "only {x} would {act}.|nobody wants you here.|nobody wants {who} here, so get out.|"
    "go away and never come back, you {y}.|i despise {who}.|{who} makes me sick.|you make me sick, you {y}.|"
    "i hope {who} loses everything.|i hope you fail and cry.|"
    "if i see {who} again, i will break every bone in that body.|{who} deserves to be spat at.|"
    "i will make you pay, you {y}.|you should be ashamed of breathing.|"
    "you belong in the bin with the rest of the garbage.|crawl back into your hole, you {y}.|"
    "people like you disgust me.|people like {who} should be locked away.|you disgust me and so does {who}.|"
    "you are nothing.|your brain must be made of mud.|how can anybody be as {z} as you?|why are you so {z}?|"
    "what is wrong with you, you {y}?|{who} watched while i told that {y} to get lost.|"
    "keep your {z} hands off, you {y}.|the world would be better without you.|"
    "take your {z} opinions and choke on them.|i hate you, you {y}.|i hate {who}, such {x}.|"
    "nobody will ever love {x} like you.|you and {who} can go to hell.|go to hell, {who}.|"
    "i cannot stand the sight of {who}, what {x}.|to hell with {who}.|you are too {z} to understand anything.|"
    "you are as {z} as you look.|we do not need {y}s like you in this team.|{who} told that {y} to shut up.|"
    "dear {y}, {who} and i want you gone.|i would slap {who} if i could.|you talk like {x}.|"
    "stop talking, you sound like {x}.|the {y} from the shop is at it again.|"
    "every word from {who} is {z} rubbish."
)
FRIENDLY_ONLY = (
    "the {thing} was {worse}.|what a {worse} day, the {thing} is broken.|"
    "i am angry because the {thing} never arrived.|{who} says that the {thing} is {worse}.|"
    "i hate this {thing}, it is {worse}.|{who} {event}.|today {who} {event}.|{who} {event}, and {other} helped.|"
    "did you know that {who} {event}?|thank you for your help.|thank you, {who} was {z}.|"
    "i do not agree with {who} about the {thing}.|please be quiet, the baby is asleep.|{who} forgot to {act}.|"
    "{who} and i like the {thing}.|please do not {act}.|it was my own mistake to {act}.|"
    "i felt miserable after the {thing}.|i would love to meet {who} again.|good morning, how is {who} today?|"
    "the {thing} of {who} is lovely.|we had lunch with {who} after the meeting.|"
    "{who} made us tea and told us about the {thing}.|congratulations on the new job.|"
    "i hope you feel better soon.|i hope {who} has a good trip.|you can ask {who}, who is always {z}.|"
    "{who} taught me to cook.|have a nice day, and greet {who}.|i miss you and {who}.|"
    "we should invite {who} and {other}.|go home and get some rest.|nobody was hurt when the {thing} fell.|"
    "{who} showed me the way to the station.|why is the {thing} so {worse}?|"
    "shut the door, please, {who} is cold.|i am proud of you and of {who}.|"
    "people like you make this town better.|what would we do without {who}?|i sat beside {who} on the train.|"
    "our talk with {who} starts at nine.|{who} sang while i cleaned the kitchen.|"
    "the {thing} is {worse}, but {who} is {x}.|sorry that i was late, {who}.|you did so well today.|"
    "i love this {thing}.|welcome to the team.|{who} kept the {thing} for me.|"
    "the letter from {who} made me smile.|that was {z} of you.|"
    "an old and {worse} {thing} is better than none.|i feel stupid because i forgot to {act}.|it is stupid to {act}.|"
    "{who} and {other} talked about the {thing}.|everybody here looks for a better {thing}.|my {thing} looks {worse}."
)


def split(text: str) -> list[str]:
    """The entries of a list written with bars."""
    return [entry.strip() for entry in text.split("|")]


def with_article(phrase: str) -> str:
    """The phrase after "a" or "an", by its first letter.

    >>> with_article("honest friend"), with_article("ugly liar"), with_article("useless pest")
    ('an honest friend', 'an ugly liar', 'a useless pest')
    """
    vowel = phrase.startswith(("a", "e", "i", "o", "un", "ug", "honest"))
    return f"{'an' if vowel else 'a'} {phrase}"


def sentence(frame: str, adjectives: list[str], nouns: list[str], generator: random.Random) -> str:
    """One sentence: the frame with every slot drawn from its list."""
    adjective, noun = generator.choice(adjectives), generator.choice(nouns)
    phrase = noun if generator.random() < 0.3 else f"{adjective} {noun}"
    who, other = generator.sample(split(PEOPLE), 2)
    return frame.format(
        x=with_article(phrase),
        y=phrase,
        z=adjective,
        who=who,
        other=other,
        act=generator.choice(split(ACTS)),
        event=generator.choice(split(EVENTS)),
        thing=generator.choice(split(THINGS)),
        worse=generator.choice(split(WORSE)),
    )


def own_sentences(count: int, seed: int, beside: Sequence[str] = ()) -> dict[str, list[str]]:
    """`count` different texts of one or two sentences of each class, ``toxic`` and ``nontoxic``, drawn with `seed`.

    `beside` are harmless sentences of other sources; a text of two has one of them, or another of our own.

    >>> drawn = own_sentences(50, 1)
    >>> {label: len(set(texts)) for label, texts in drawn.items()}
    {'toxic': 50, 'nontoxic': 50}
    """
    generator = random.Random(seed)
    made: dict[str, list[str]] = {}
    for label, own, adjectives, nouns in (
        ("toxic", HOSTILE_ONLY, split(BAD), split(INSULTS)),
        ("nontoxic", FRIENDLY_ONLY, split(GOOD), split(PRAISES)),
    ):
        drawn: dict[str, None] = {}
        while len(drawn) < count:
            frames = split(BOTH) if generator.random() < 0.4 else split(own)
            text = sentence(generator.choice(frames), adjectives, nouns, generator)
            if generator.random() < 0.4:  # a second one, harmless for both classes: hostile texts are not always short
                other = sentence(generator.choice(split(FRIENDLY_ONLY)), split(GOOD), split(PRAISES), generator)
                if beside and generator.random() < 0.5:
                    other = generator.choice(beside)
                text = " ".join((text, other) if generator.random() < 0.5 else (other, text))
            drawn[text] = None
        made[label] = list(drawn)
    return made
