"""People who touch a sleeve, made independently of every other generator of this project: a second opinion for tests.

    person = Person(seed)                    # habits and garment; Person(seed, day=1): the garment sits differently
    person.make("swipe_in", 3)               # the fourth repetition, [(seconds, Touch), ...]; each one differs
    person.make("lean", 0)                   # the same for OTHERS, touches that mean nothing
    for touch in person.others(hours=2):     # lazily: 220 to 420 of OTHERS in each hour, at times from 0 to 7200
        ...

The same arguments give the same samples. Times are those of arrival and increase; those of `make` begin within a second.
`Touch` has the members of `jacquard.Touch`, and `jacquard.Touch(*touch)` makes one of it. "In" is from a high to a low line.
A tag sends nothing while it is not touched, and then counts from the beginning.

No real sleeve has been measured. Lines are assumed to be 6 mm apart. The facts about people are from:
 [1] MacKenzie 2015, Fitts' throughput and the remarkable case of touch-based target selection: 6.95 bits/s
 [2] Asakawa, Dennerlein and Jindrich 2017, on forces and times of touchscreen gestures: a tap takes 133 ms and 0.50 N, a
     slide 421 ms and 0.79 to 1.18 N, a pinch 1.47 N, a stretch 920 ms and 2.05 N
 [3] Dhakal and others 2018, Observations on typing from 136 million keystrokes: 239 ms between keys, pressed for 116 ms
 [4] Flash and Hogan 1985, The coordination of arm movements: a hand moves with the smallest jerk
 [5] Dandekar, Raju and Srinivasan 2003, 3-D finite-element models of fingertips: about 8 to 14 mm wide
 [6] the tapping test of FePsy: 50 to 60 taps in 10 s are the fastest
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from independent_sleeve import HOUR, LEAD, LINES, Array, Contact, Sample, Sleeve


class Person:
    def __init__(self, seed: int, day: int = 0) -> None:
        self._seed = (seed, day)
        self._habits = Habits(np.random.RandomState([seed, 1]))
        self._sleeve = Sleeve(np.random.RandomState([seed, 2]), np.random.RandomState([seed, 3, day]))

    def make(self, name: str, repetition: int, at: float = 0.0) -> list[Sample]:
        """A gesture or other touch that begins at this time; the garment's readings drift with time."""
        random = np.random.RandomState([*self._seed, zlib.crc32(name.encode()), repetition])
        times, contacts = (GESTURES | OTHERS)[name](Repetition(self._habits, random))
        return self._sleeve.sent(random, times, contacts, at)

    def others(self, hours: int) -> Iterator[list[Sample]]:
        random = np.random.RandomState([*self._seed, 4])
        number, free = 0, 0.0
        for hour in range(hours):
            # Random arrivals. The last minute leaves time for the last touches.
            pauses = np.cumsum(random.exponential(size=random.randint(220, 421) + 1))
            for start in hour * HOUR + pauses[:-1] / pauses[-1] * (HOUR - 60):
                touch = self.make(str(random.choice(sorted(OTHERS))), number, max(float(start), free))
                number += 1
                if touch:  # a short one may be lost
                    free = touch[-1][0] + 0.4
                    yield touch


class Habits:
    def __init__(self, random: np.random.RandomState) -> None:
        self.throughput = 6.95 * random.lognormal(0, 0.15)  # [1]
        self.reaction = random.uniform(0.04, 0.12)
        self.tap = 0.125 * random.lognormal(0, 0.2)  # [2], [3]
        self.interval = float(np.clip(0.239 * random.lognormal(0, 0.2), 0.17, 0.38))  # [3]
        self.strength = random.lognormal(0, 0.2)
        self.finger = random.uniform(8, 14) / 6  # [5]
        self.onset = random.uniform(0.02, 0.05)
        self.home = random.uniform(4, 7)
        self.span = random.uniform(6.5, 8.5)
        self.tremor = (random.uniform(8, 12), random.uniform(0.01, 0.04))


Motion = tuple[Array, list[Contact]]


class Repetition:
    """One repetition of a gesture: habits, and differences each time."""

    def __init__(self, habits: Habits, random: np.random.RandomState) -> None:
        self.habits, self.random = habits, random
        self.tempo = random.lognormal(0, 0.1)
        self.strength = habits.strength * random.lognormal(0, 0.12)
        self.home = habits.home + random.normal(0, 0.4)
        self.onset = habits.onset * random.lognormal(0, 0.15)

    def travel(self, distance: float) -> float:
        """The time for a distance in lines, to a target of two lines (Fitts)."""
        return float(self.tempo * (self.habits.reaction + np.log2(distance / 2 + 1) / self.habits.throughput))

    def clock(self, seconds: float) -> Array:
        return np.arange(0, LEAD + seconds + 0.5, 0.004)

    def force(
        self, clock: Array, begin: float, end: float, newtons: float, onset: float = 0, release: float = 0
    ) -> Array:
        """Pressure that rises, trembles and falls."""
        rhythm, depth = self.habits.tremor
        onset, release = onset or self.onset, release or self.onset * 1.3
        rise, fall = eased((clock - LEAD - begin) / onset), eased((clock - LEAD - end) / release)
        tremor = 1 + depth * np.sin(6.283 * rhythm * clock + self.random.uniform(0, 6.3))
        return newtons * self.strength * rise * (1 - fall) * tremor

    def still(self, clock: Array, place: float) -> Array:
        """A place that is held, and yet wanders a little."""
        return (
            place + np.cumsum(self.random.normal(0, 0.004, len(clock))) + (clock - LEAD) * self.random.normal(0, 0.15)
        )

    def path(self, clock: Array, times: Sequence[float], places: Sequence[float]) -> Array:
        moved = np.full(len(clock), float(places[0]))
        for (begin, end), (here, there) in zip(zip(times, times[1:]), zip(places, places[1:])):
            moved += (there - here) * eased((clock - LEAD - begin) / (end - begin))
        return moved

    def taps(self, begins: Sequence[float], places: Sequence[float], length: float) -> Motion:
        clock = self.clock(max(begins) + length)
        fingers = [
            Contact(self.still(clock, place), self.force(clock, begin, begin + length, 0.5), self.habits.finger)
            for begin, place in zip(begins, places)
        ]
        return clock, fingers

    def tap(self) -> Motion:
        return self.taps([0], [self.home], self.habits.tap * self.tempo)

    def double_tap(self) -> Motion:
        length = self.habits.tap * self.tempo * 0.8
        interval = max(self.habits.interval * self.tempo * self.random.lognormal(0, 0.06), length + 2.5 * self.onset)
        return self.taps([0, interval], [self.home, self.home + self.random.normal(0, 0.25)], length)

    def two_finger_tap(self) -> Motion:
        apart = self.random.uniform(3.5, 5.5)
        places = [self.home - apart / 2, self.home + apart / 2]
        return self.taps([0, self.random.exponential(0.012)], places, self.habits.tap * self.tempo * 1.15)

    def hold(self, newtons: float = 0.6, onset: float = 0) -> Motion:
        length = self.tempo * self.random.uniform(0.9, 1.5)
        clock = self.clock(length)
        force = self.force(clock, 0, length, newtons, onset)
        return clock, [Contact(self.still(clock, self.home), force, self.habits.finger)]

    def press(self) -> Motion:
        return self.hold(newtons=4.0, onset=self.onset * 4)

    def drawn(self, places: Sequence[float], pause: float = 0, newtons: float = 0.95, hurry: float = 1) -> Motion:
        """One finger from place to place. A stroke begins and ends while the finger moves."""
        lengths = [self.travel(abs(there - here)) * hurry for here, there in zip(places, places[1:])]
        times = np.concatenate([[0], np.cumsum([length + pause for length in lengths])])
        clock = self.clock(times[-1])
        landing, lifting = 0.15 * lengths[0], times[-1] - 0.2 * lengths[-1]
        force = self.force(clock, landing, lifting, newtons)
        return clock, [Contact(self.path(clock, list(times), places), force, self.habits.finger)]

    def ends(self) -> tuple[float, float]:
        half, middle = self.habits.span / 2 * self.random.lognormal(0, 0.06), 5.5 + self.random.normal(0, 0.4)
        return middle - half, middle + half

    def swipe_out(self) -> Motion:
        return self.drawn(self.ends())

    def swipe_in(self) -> Motion:
        return self.drawn(self.ends()[::-1])

    def zigzag(self) -> Motion:
        low, high = self.ends()
        turns = self.random.normal(0, 0.5, 2)
        return self.drawn([low, high + turns[0], low + turns[1], high], pause=0.02)

    def scrub(self) -> Motion:
        """Three strokes a second and direction at most [6]."""
        width, strokes = self.random.uniform(1.8, 3), self.random.randint(5, 9)
        sides = [self.home + (width / 2 if number % 2 else -width / 2) for number in range(strokes + 1)]
        return self.drawn([side + self.random.normal(0, 0.15) for side in sides], newtons=1.2, hurry=0.8)

    def stretched(self, begin: float, end: float, newtons: float) -> Motion:
        length = self.travel(abs(end - begin)) * 1.9
        clock = self.clock(length)
        lag = length * self.random.normal(0, 0.04)
        force = self.force(clock, 0.1 * length, 0.9 * length, newtons / 2)
        apart = [self.path(clock, [shift, length + shift], [begin / 2, end / 2]) for shift in (0, lag)]
        shares = self.random.uniform(0.8, 1.2)
        width = self.habits.finger * 0.85
        middle = 5.5 + (self.home - 5.5) / 3
        return clock, [
            Contact(middle - apart[0] * shares, force, width),
            Contact(middle + apart[1], force, width * 1.2),
        ]

    def spread(self) -> Motion:
        return self.stretched(self.random.uniform(3, 3.6), self.random.uniform(7, 8.5), 2.05)

    def pinch(self) -> Motion:
        return self.stretched(self.random.uniform(7, 8.5), self.random.uniform(3, 3.6), 1.47)

    def hand(self, length: float, places: Array, newtons: float, width: float, onset: float) -> Motion:
        """Several parts of a hand or an arm, one after the other."""
        clock, contacts = self.clock(length), []
        for place in places:
            begin = self.random.uniform(0, onset)
            weight = newtons * self.random.lognormal(0, 0.3)
            force = self.force(clock, begin, length, weight, onset, onset * self.random.uniform(0.5, 1.5))
            contacts.append(Contact(self.still(clock, place), force, width * self.random.lognormal(0, 0.15)))
        return clock, contacts

    def cover(self) -> Motion:
        places = 5.5 + np.array([-4, -1.4, 1.4, 4]) + self.random.normal(0, 0.4, 4)
        return self.hand(self.tempo * self.random.uniform(0.6, 1.2), places, 0.8, 2.6, self.random.uniform(0.06, 0.15))

    def brush_table(self) -> Motion:
        """The edge of a table, along the sleeve at an uneven force."""
        begin, end = self.random.uniform(-3, LINES + 2, 2)
        length = self.random.uniform(0.2, 1.5)
        clock = self.clock(length)
        uneven = 1 + 0.5 * np.sin(clock * self.random.uniform(8, 40))
        force = self.force(clock, 0, length, self.random.uniform(0.1, 0.8)) * uneven
        return clock, [Contact(self.path(clock, [0, length], [begin, end]), force, self.random.uniform(2.5, 8))]

    def lean(self) -> Motion:
        middle = self.random.uniform(0, LINES - 1)
        places = middle + self.random.normal(0, 2.5, self.random.randint(1, 4))
        newtons, width = self.random.uniform(1, 8), self.random.uniform(3, 8)
        return self.hand(self.random.uniform(1, 9), places, newtons, width, self.random.uniform(0.1, 0.6))

    def fold_arms(self) -> Motion:
        places = self.random.uniform(0, LINES - 1) + np.arange(self.random.randint(2, 5)) * self.random.uniform(
            1.8, 3.2
        )
        newtons, length = self.random.uniform(0.3, 2), self.random.uniform(1, 10)
        return self.hand(length, places, newtons, self.habits.finger * 1.3, self.random.uniform(0.2, 0.8))

    def rub(self) -> Motion:
        """An itch, or warmth: a palm to and fro."""
        count, middle = self.random.randint(3, 12), self.random.uniform(1, LINES - 2)
        places = [middle + (1 if number % 2 else -1) * self.random.uniform(0.5, 3.5) for number in range(count)]
        clock, (palm,) = self.drawn(places, 0.03, self.random.uniform(0.5, 2.5), self.random.uniform(0.7, 1.4))
        return clock, [palm._replace(width=self.random.uniform(3.5, 7))]

    def carry_bag(self) -> Motion:
        """The strap of a bag, at the rhythm of steps."""
        length, steps = self.random.uniform(2, 10), self.random.uniform(1.6, 2.2)
        clock, contacts = self.hand(length, [self.random.uniform(0, LINES - 1)], 1.5, self.random.uniform(3, 6), 0.3)
        swing = np.sin(6.283 * steps * clock)
        return clock, [Contact(c.place + 0.5 * swing, c.force * (1 + 0.5 * swing), c.width) for c in contacts]

    def bump(self) -> Motion:
        """A door frame or a passer-by."""
        middle = self.random.uniform(0, LINES - 1)
        places = middle + self.random.normal(0, 2, self.random.randint(1, 3))
        return self.hand(self.random.uniform(0.05, 0.3), places, self.random.uniform(0.5, 5), 4.5, 0.03)


def eased(part: Array) -> Array:
    """From 0 to 1 with the smallest jerk [4]."""
    part = np.clip(part, 0, 1)
    return part**3 * (10 - 15 * part + 6 * part**2)


def named(*made: Callable[[Repetition], Motion]) -> dict[str, Callable[[Repetition], Motion]]:
    return {one.__name__: one for one in made}


GESTURES = named(
    *(Repetition.tap, Repetition.double_tap, Repetition.hold, Repetition.press, Repetition.swipe_in),
    *(Repetition.swipe_out, Repetition.scrub, Repetition.two_finger_tap, Repetition.spread, Repetition.pinch),
    *(Repetition.cover, Repetition.zigzag),
)
OTHERS = named(
    *(Repetition.brush_table, Repetition.lean, Repetition.fold_arms, Repetition.rub, Repetition.carry_bag),
    Repetition.bump,
)
