"""English verbs: the forms of verbs that are known, and what a form is a form of.

A form is looked up, never guessed from its ending, so that no noun or adjective counts as a verb by accident of
spelling.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Literal

from fairness_checklist.extensions.rewriting.perturb.vocabulary import word_set

Tense = Literal["base", "third", "past"]

# base past participle
_IRREGULAR = """
arise arose arisen; awake awoke awoken; beat beat beaten; become became become; begin began begun; bend bent bent;
bite bit bitten; bleed bled bled; blow blew blown; break broke broken; breed bred bred; bring brought brought;
build built built; burst burst burst; buy bought bought; catch caught caught; choose chose chosen; come came come;
cost cost cost; cut cut cut; deal dealt dealt; dig dug dug; draw drew drawn; drink drank drunk; drive drove driven;
eat ate eaten; fall fell fallen; feed fed fed; feel felt felt; fight fought fought; find found found; fly flew flown;
forbid forbade forbidden; forget forgot forgotten; forgive forgave forgiven; freeze froze frozen; get got gotten;
give gave given; go went gone; grow grew grown; hang hung hung; hear heard heard; hide hid hidden; hit hit hit;
hold held held; hurt hurt hurt; keep kept kept; know knew known; lead led led; leave left left; lend lent lent;
let let let; light lit lit; lose lost lost; make made made; mean meant meant; meet met met; mistake mistook mistaken;
overcome overcame overcome; pay paid paid; put put put; quit quit quit; read read read; ride rode ridden;
ring rang rung; rise rose risen; run ran run; say said said; see saw seen; seek sought sought;
sell sold sold; send sent sent;
set set set; shake shook shaken; shine shone shone; shoot shot shot; shut shut shut; sing sang sung; sink sank sunk;
sit sat sat; sleep slept slept; slide slid slid; speak spoke spoken; spend spent spent; spread spread spread;
stand stood stood; steal stole stolen; stick stuck stuck; strike struck struck; swear swore sworn; sweep swept swept;
swim swam swum; swing swung swung; take took taken; teach taught taught; tear tore torn; tell told told;
think thought thought; throw threw thrown; understand understood understood; undertake undertook undertaken;
upset upset upset; wake woke woken; wear wore worn; weep wept wept; win won won; withdraw withdrew withdrawn;
write wrote written; have had had; do did done
"""
_REGULAR = word_set(
    """
    accept achieve act add admire admit adopt advise afford agree aim allow announce annoy answer apologise apologize
    appear apply appreciate approach approve argue arrange arrest arrive ask assume attack attend attract avoid bake
    bark beg behave believe belong blame block boil book borrow bother brush call cancel care carry cause celebrate
    challenge change charge chase chat cheat check cheer choke claim clap clean clear climb close collect comfort
    compare compete complain complete concern confirm confuse connect consider consist contact contain continue
    contribute control convince cook copy correct cough count cover crash create cross cry damage dance decide declare
    decline decorate defend delay delete deliver demand deny depend describe deserve destroy develop die disagree
    disappear disappoint discover discuss dislike display doubt download dream dress drop earn employ encourage end
    enjoy enter entertain escape examine exist expand expect explain explore express face fail fear fetch file fill
    finish fire fit fix follow force frighten gain gather greet guard guide handle happen hate help hire hug hunt hurry
    identify ignore imagine impress improve include increase inform insist inspire insult intend introduce invent invest
    invite involve irritate jog join joke judge jump kick kill kiss knit knock lack land last laugh launch lean learn
    lie lift like limit link listen live load lock look love lower manage mark marry matter measure mend mention mind
    miss mix move need notice obey object observe obtain occur offend offer open operate order organise organize owe own
    pack paint park participate pass pause perform permit phone pick plan plant play please point post pour practice
    practise praise pray prefer prepare present press pretend prevent print produce promise promote pronounce protect
    protest prove provide publish pull punish push question race rain raise reach react realise realize receive
    recognise recognize recommend record recover reduce refer refuse regret reject relax release rely remain remember
    remind remove rent repair repeat replace reply report request require rescue resemble respect respond rest retire
    return reveal ruin rush save scare scream search seem select serve settle share shave shop shout show sign ski skip
    smell smile smoke snore snow solve sort sound spell start stay step stop study stutter succeed suffer suggest suit
    supply support suppose surprise surround survive suspect switch talk taste tease thank threaten tie tip tire touch
    train translate travel treat trust try turn type upgrade use vanish visit volunteer vote wait walk wander want warn
    wash waste watch wave welcome wink wish wonder work worry wrap yell
    """
)
_DOUBLED = word_set(
    "admit beg chat clap control drop fit hug jog knit occur permit plan prefer refer regret rub shop skip step stop "
    "tip wrap"
)


@dataclass(frozen=True)
class Verb:
    """A verb and its forms.

    >>> known_verbs()["carry"]
    Verb(base='carry', third='carries', past='carried', participle='carried')
    """

    base: str
    third: str
    past: str
    participle: str


def _third(base: str) -> str:
    if base == "have":
        return "has"
    if re.search(r"[^aeiou]y$", base):
        return base[:-1] + "ies"
    return base + ("es" if re.search(r"(?:s|sh|ch|x|z|o)$", base) else "s")


def _regular(base: str) -> Verb:
    stem = base + base[-1] if base in _DOUBLED else base
    if base.endswith("e"):
        past = base + "d"
    elif re.search(r"[^aeiou]y$", base):
        past = base[:-1] + "ied"
    else:
        past = stem + "ed"
    return Verb(base, _third(base), past, past)


@cache
def known_verbs() -> dict[str, Verb]:
    """The verbs that are known, by their base form."""
    listed = (row.split() for row in _IRREGULAR.split(";"))
    irregular = [Verb(base, _third(base), past, participle) for base, past, participle in listed]
    return {verb.base: verb for verb in [*irregular, *(_regular(base) for base in sorted(_REGULAR))]}


@cache
def _forms() -> dict[str, tuple[tuple[Verb, Tense], ...]]:
    found: dict[str, list[tuple[Verb, Tense]]] = {}
    for verb in known_verbs().values():
        tenses: tuple[tuple[str, Tense], ...] = ((verb.base, "base"), (verb.third, "third"), (verb.past, "past"))
        for form, tense in tenses:
            found.setdefault(form, []).append((verb, tense))
    return {form: tuple(verbs) for form, verbs in found.items()}


def finite_forms(word: str) -> tuple[tuple[Verb, Tense], ...]:
    """What a word in small letters is a finite form of; nothing where no known verb has it.

    >>> [(verb.base, tense) for word in ("tries", "read", "tongue") for verb, tense in finite_forms(word)]
    [('try', 'third'), ('read', 'base'), ('read', 'past')]
    """
    return _forms().get(word, ())


@cache
def _participles() -> frozenset[str]:
    return frozenset(verb.participle for verb in known_verbs().values()) | {"been", "got", "had"}


def is_participle(word: str) -> bool:
    """Whether a word is the past participle of a known verb.

    >>> is_participle("seen"), is_participle("went")
    (True, False)
    """
    return word in _participles()


@cache
def _only_participles() -> frozenset[str]:
    own = {verb.participle for verb in known_verbs().values()} - set(_forms())
    return frozenset(own | {"been", "gotten"})


def is_only_participle(word: str) -> bool:
    """Whether a word is a past participle and no finite form: seen, written; not read, bought or come.

    >>> is_only_participle("seen"), is_only_participle("bought")
    (True, False)
    """
    return word in _only_participles()
