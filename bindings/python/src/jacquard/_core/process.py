"""After fork() a manager works only in the process that opened it; a child must not affect its parent."""

from __future__ import annotations

import os

_forks = 0


def _forked() -> None:
    global _forks
    _forks += 1


os.register_at_fork(after_in_child=_forked)


class Process:
    """The process that creates this object."""

    def __init__(self) -> None:
        self._forks = _forks

    @property
    def is_this_one(self) -> bool:
        return self._forks == _forks
