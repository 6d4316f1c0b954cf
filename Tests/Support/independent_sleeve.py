"""The sleeve of independent_people.py: how its lines feel skin or something else on the cloth."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

LINES = 12
STRONGEST = 128
HOUR = 3600.0
# Seconds before the first contact: samples begin when it is felt.
LEAD = 0.1
Array = Any


class Touch(NamedTuple):
    sequence: int
    proximity: int
    lines: tuple[int, ...]


Sample = tuple[float, Touch]


class Contact(NamedTuple):
    """Skin or something else on the cloth: its center in lines, its force in newtons, and its width in lines at 1 N."""

    place: Array
    force: Array
    width: float


class Sleeve:
    """A garment and its tag."""

    def __init__(self, random: np.random.RandomState, worn: np.random.RandomState) -> None:
        self._rate = random.uniform(58, 62)
        # The force in newtons at which a line reads half of the most; the width of a thread with the cloth around it;
        # the time by which dragged cloth lags; the parts that neighbours and all lines get of a line.
        self._half = random.uniform(0.25, 0.5)
        self._thread = random.uniform(0.35, 0.6)
        self._lag = random.uniform(0.004, 0.02)
        self._crosstalk = (random.uniform(0.02, 0.1), random.uniform(0, 0.04))
        self._noise = random.uniform(0.4, 1.8)
        self._link_interval = random.choice([0.0075, 0.015, 0.03, 0.045])
        self._lost = random.uniform(0.005, 0.04)
        self._first, self._wake, self._linger = random.randint(0, 2), random.uniform(5, 9), random.randint(0, 7)
        self._gains = np.exp(random.normal(0, 0.1, LINES) + worn.normal(0, 0.05, LINES))
        self._shift = worn.normal(0, 0.3)
        self._drift = (worn.uniform(0, 3, LINES), worn.uniform(0, 6.3, LINES), worn.uniform(300, 1200))

    def sent(self, random: np.random.RandomState, times: Array, contacts: Sequence[Contact], at: float) -> list[Sample]:
        clock = np.arange(0, times[-1], 1 / self._rate)
        moved = [Contact(np.interp(clock, times, c.place), np.interp(clock, times, c.force), c.width) for c in contacts]
        pressed: Array = sum(self._pressed(clock, contact) for contact in moved)
        height, period = self._drift[0], self._drift[2]
        baseline = height * (1 + np.sin((at + clock[:, None]) / period * 6.3 + self._drift[1])) / 2
        read = np.clip(np.rint(pressed + baseline + self._cloth(random, clock, moved)), 0, STRONGEST)
        near = 60 + 195 * (1 - np.exp(-pressed.sum(axis=1) / 300)) + random.normal(0, 2, len(clock))
        near = np.clip(np.rint(near), 0, 255)
        felt = self._felt(pressed.max(axis=1))
        sequences = self._first + counted(felt)
        kept = self._kept(random, len(clock)) & felt
        if np.count_nonzero(kept) < 2:
            kept = felt
        # A sample waits for the next event of the link; several of one event follow each other.
        phase = random.uniform(0, self._link_interval)
        arrival = np.ceil((clock + phase) / self._link_interval) * self._link_interval - phase
        arrival = at + arrival + np.arange(len(clock)) * 0.0001 + random.uniform(0, 0.00005, len(clock))
        columns = arrival, sequences, near.astype(int), read.astype(int)
        samples = zip(*(column[kept].tolist() for column in columns))
        return [(time, Touch(sequence, proximity, tuple(lines))) for time, sequence, proximity, lines in samples]

    def _pressed(self, clock: Array, contact: Contact) -> Array:
        """Each line's reading of a contact: a flat patch, longer behind a moving finger, across a thread's width."""
        speed = np.gradient(contact.place, clock)
        ahead = np.where(speed < 0, -1.0, 1.0)[:, None]
        tail = np.clip(np.abs(speed) * self._lag, 0.02, 1.5)[:, None]
        # The patch grows with the cube root of its force (Hertz).
        width = (contact.width * (0.7 + 0.3 * np.cbrt(contact.force)))[:, None]

        def covered(place: Array) -> Array:
            """The part of the patch that is behind a place, relative to its center."""
            front = place + width / 2
            return tail * np.exp(np.minimum(front, 0) / tail) + np.clip(front, 0, width)

        middle = ahead * (np.arange(LINES) - contact.place[:, None] - self._shift)
        share = (covered(middle + self._thread) - covered(middle - self._thread)) / (2 * self._thread)
        force = contact.force[:, None]
        read = STRONGEST * share * force / (force + self._half) * self._gains
        beside = np.pad(read, ((0, 0), (1, 1)))
        neighbours, common = self._crosstalk
        return read + neighbours * (beside[:, :-2] + beside[:, 2:]) + common * read.mean(axis=1, keepdims=True)

    def _cloth(self, random: np.random.RandomState, clock: Array, contacts: Sequence[Contact]) -> Array:
        """Noise that lasts a few samples, and a fold that comes and goes; both stronger while something moves."""
        white = random.normal(0, 1, (len(clock) + 8, LINES + 1))
        white = white[:, 1:] + 0.5 * white[:, :-1]
        lasting = sum(0.6**age * white[8 - age : len(white) - age] for age in range(8)) / 1.4
        moving = sum(np.abs(np.gradient(contact.place, clock)) for contact in contacts)
        fold = np.exp(-(((np.arange(LINES) - random.uniform(0, LINES)) / random.uniform(0.8, 2)) ** 2))
        wave = (1 + np.sin(clock * random.uniform(1, 8) + random.uniform(0, 6.3))) / 2
        folded = random.exponential(1.5) * wave[:, None] * fold
        return (self._noise * lasting + folded) * (1 + np.minimum(moving / 40, 1))[:, None]

    def _felt(self, strongest: Array) -> Array:
        felt = strongest > min(self._wake, strongest.max() / 2)
        # The tag continues for a few samples.
        return np.convolve(felt, np.ones(self._linger + 1))[: len(felt)] > 0

    def _kept(self, random: np.random.RandomState, count: int) -> Array:
        """A queue of two loses samples singly or a few at a time."""
        lost = random.uniform(size=count) < self._lost
        for start in np.flatnonzero(random.uniform(size=count) < self._lost / 4):
            lost[start : start + random.randint(2, 5)] = True
        return ~lost


def counted(felt: Array) -> Array:
    """Each sample's number in its touch."""
    numbers = np.arange(len(felt))
    return numbers - np.maximum.accumulate(np.where(felt, 0, numbers + 1))
