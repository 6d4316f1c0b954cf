"""Commands for several tags: the failure of one does not end the work with the others."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Awaitable, Coroutine, Sequence
from typing import Any, Callable

import jacquard

from ..system.together import together
from ..terminal import exits, output
from . import target
from .target import Target


async def on_each(arguments: Namespace, act: Callable[[jacquard.Connection, jacquard.Tag], Awaitable[None]]) -> int:
    """Connects to each tag of a command and does something with it. Returns the exit status."""
    async with target.manager(arguments) as manager:
        targets = await target.chosen(manager, arguments)

        async def work(found: Target) -> None:
            async with manager.connect(found.identifier, timeout=arguments.timeout) as connection:
                await act(connection, await target.tag_of(connection, found.name, arguments.json or len(targets) > 1))

        return await each(targets, work, arguments.json)


async def each(
    targets: Sequence[Target],
    work: Callable[[Target], Coroutine[Any, Any, None]],
    as_json: bool,
    seconds: float | None = None,
) -> int:
    """Does the work for all tags at the same time. The failure of the only tag is raised; those of several are reported,
    and the first one determines the exit status."""
    statuses: list[int] = []

    async def one(found: Target) -> None:
        try:
            await work(found)
        except (jacquard.JacquardError, exits.Failure) as error:
            if len(targets) == 1:
                raise
            output.report(error, as_json, found.name)
            statuses.append(error.status if isinstance(error, exits.Failure) else exits.status_of(error))

    await together(*map(one, targets), seconds=seconds)
    return statuses[0] if statuses else exits.OK
