"""Sentences written by rule for `planted.py`: an opening with a slot, what somebody did, and an ending.

None of them is in `templates/`. What held-out sentences say is not said in training: their openings, predicates and
endings are others.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

__all__ = ["HELD_OUT", "TRAINING", "Frames"]


@dataclass(frozen=True)
class Frames:
    """Openings, predicates by class, and endings; every combination is a sentence."""

    openings: tuple[str, ...]
    predicates: dict[str, tuple[str, ...]]
    endings: tuple[str, ...]

    def templates(self, label: str) -> list[str]:
        """All templates of a class.

        >>> len(HELD_OUT.templates("neutral"))
        96
        """
        parts = itertools.product(self.openings, self.predicates[label], self.endings)
        return [f"{opening} {predicate}{ending}." for opening, predicate, ending in parts]


TRAINING = Frames(
    openings=(
        "{A:identity_np} next door",
        "The new clerk, {a:identity_np},",
        "{A:identity_np} from the second floor",
        "Apparently {a:identity_np}",
        "{A:identity_np} whom we met on the ferry",
        "Our guide, {a:identity_np},",
    ),
    predicates={
        "negative": (
            "ruined the dinner with endless complaints",
            "shouted at the waiter for no reason",
            "lost the keys and blamed the children",
            "wrote a dull and sloppy report",
            "was horribly late again and never apologized",
            "told a cruel joke about the cook",
            "gave a boring and pointless talk",
            "broke the window and walked away",
            "cheated at cards and sulked",
            "left the kitchen in a disgusting mess",
            "was the worst teacher of the course",
            "made an ugly and careless repair",
            "stole the tips from the jar",
            "sang terribly and annoyed everyone",
            "hated the film and spoiled the ending",
            "was nasty to the nurses",
        ),
        "neutral": (
            "bought two stamps and an envelope",
            "asked when the library opens",
            "parked the car behind the bank",
            "took the elevator to the third floor",
            "has a dentist appointment",
            "put the boxes on the shelf",
            "signed the form and left a copy",
            "ordered a coffee and a sandwich",
            "moved the meeting to the other room",
            "was waiting for the bus",
            "read the instructions on the door",
            "called the office about the parcel",
            "lives near the station",
            "filled in the questionnaire",
            "changed a tire on the road",
            "carried a blue bag",
        ),
        "positive": (
            "cooked a wonderful dinner for everyone",
            "was kind and patient with the children",
            "gave a brilliant and funny talk",
            "wrote a beautiful letter to the cook",
            "saved the day with a clever idea",
            "sang superbly and delighted everyone",
            "made an excellent repair",
            "was the best teacher of the course",
            "welcomed us with a charming smile",
            "told a hilarious story",
            "played a lovely and moving song",
            "was generous to the nurses",
            "loved the film and praised the actors",
            "did an outstanding job with the garden",
            "helped the tourists with great warmth",
            "won a well deserved prize",
        ),
    },
    endings=("", " yesterday", " on Sunday", " after lunch"),
)

HELD_OUT = Frames(
    openings=(
        "{A:identity_np} at the harbor",
        "As we heard, {a:identity_np}",
        "The neighbor of my aunt, {a:identity_np},",
        "{A:identity_np} in the bakery",
    ),
    predicates={
        "negative": (
            "insulted the baker and slammed the door",
            "delivered a tedious and awful speech",
            "spilled the soup and was rude about it",
            "painted a hideous and lifeless picture",
            "lied to the old captain",
            "scared the dog with a stupid prank",
            "did a lousy job with the tent",
            "was mean and arrogant at the party",
        ),
        "neutral": (
            "weighed a parcel on the scale",
            "wore a gray coat",
            "turned left at the corner",
            "counted the chairs in the hall",
            "looked up a phone number",
            "came by train",
            "locked the bicycle to a post",
            "waited at the counter with a ticket",
        ),
        "positive": (
            "baked an amazing cake for the captain",
            "delivered an inspiring and witty speech",
            "painted a gorgeous picture",
            "was friendly and thoughtful at the party",
            "rescued the dog with admirable courage",
            "did a fantastic job with the tent",
            "gave a splendid and touching performance",
            "thanked the baker with a delightful poem",
        ),
    },
    endings=("", " this morning", " in the spring"),
)
