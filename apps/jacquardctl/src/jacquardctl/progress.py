"""Shows progress, on a terminal only."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Callable

from . import output


@contextlib.contextmanager
def progress(text: str, quiet: bool = False) -> Iterator[Callable[[str], None]]:
    """Shows a text, which can be changed, until the block ends."""
    console = None if quiet else output.error_terminal()
    if console is None:
        yield lambda text: None
        return
    from rich.text import Text

    def shown(text: str) -> Text:
        return Text(output.printable(text))

    with console.status(shown(text)) as status:
        yield lambda text: status.update(shown(text))
