"""jacquardctl list, bind, unbind"""

from __future__ import annotations

import datetime
from argparse import ArgumentTypeError, Namespace
from typing import Any

import jacquard
from jacquard_apps.system import processes
from jacquard_apps.tags import target
from jacquard_apps.terminal import exits, options, output

from ..doctor import links

HEADINGS = ("SERIAL", "NAME", "OWNER", "BOUND", "LAST CONNECTED", "LINK", "IDENTIFIER")


def add(commands: Any) -> None:
    listed = commands.add_parser(
        "list",
        parents=[options.shared()],
        help="list the tags bound to this machine, and which process has the link to each",
        description="Usually that is jacquardd, which shares the tag among programs: jacquardctl doctor lists them.",
    )
    listed.set_defaults(run=run_list)

    bind = commands.add_parser(
        "bind",
        parents=[options.with_tag()],
        help="bind a tag: check the number printed on it, pair, and store it",
        description="Afterwards the tag is found without searching, and other owners on this machine are refused.",
    )
    bind.add_argument("--code", type=options.word, help="the number printed on the tag, or at least its last four characters (TAG)")
    bind.add_argument("--owner", type=options.word, help="owner to store with the tag (none)")
    bind.add_argument(
        "--profile",
        metavar="KEY=VALUE",
        action="append",
        type=entry,
        default=[],
        help="data to store with the tag; may be repeated",
    )
    bind.set_defaults(run=run_bind)

    unbind = commands.add_parser(
        "unbind", parents=[options.with_tag(connects=False)], help="remove a tag from this machine and from BlueZ"
    )
    unbind.set_defaults(run=run_unbind)


def entry(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not key or not equals:
        raise ArgumentTypeError(f"{text!r} is not KEY=VALUE")
    return key, value


async def run_list(arguments: Namespace) -> int:
    async with target.manager(arguments) as manager:
        known = await manager.known()
    if arguments.json:
        for tag in known:
            output.say_json(**described(tag))
    elif known:
        output.show_table(HEADINGS, [row(tag) for tag in known])
    else:
        output.complain("No tag is bound to this machine: see jacquardctl bind.")
    return exits.OK


def described(tag: jacquard.KnownTag) -> dict[str, Any]:
    process = links.holders().get(tag.identifier)
    program = None if process is None else processes.name(process)
    return {**output.members_of(tag), "link_process": process, "link_program": program}


def row(tag: jacquard.KnownTag) -> tuple[str, ...]:
    process = links.holders().get(tag.identifier)
    link = "" if process is None else processes.described(process)
    return (tag.serial, tag.name, tag.owner or "", day(tag.bound_at), day(tag.last_connected), link, tag.identifier)


def day(moment: datetime.datetime) -> str:
    return f"{moment.astimezone():%Y-%m-%d %H:%M}"


async def run_bind(arguments: Namespace) -> int:
    arguments.tag = arguments.tag or arguments.code
    code = arguments.code or arguments.tag
    if code is None:
        raise exits.Failure("Enter the number printed on the tag.", exits.USAGE)
    if arguments.code is None and (target.is_identifier(code) or target.is_address(code)):
        raise exits.Failure("Pass the number printed on the tag with --code.", exits.USAGE)
    profile = options.once(arguments.profile)
    async with target.manager(arguments) as manager:
        found = await target.find(manager, arguments)
        binding = manager.bind(
            found.identifier,
            code=code,
            owner=arguments.owner,
            profile=profile or None,
            timeout=arguments.timeout,
        )
        async with binding as connection:
            tag = await target.tag_of(connection, arguments.tag, arguments.json)
        # The bond may have replaced a private address, and the identifier with it.
        known = next((one for one in await manager.known() if one.serial == tag.info.serial), None)
    if known is None:
        raise exits.Failure("Another program has unbound the tag.", exits.NOT_FOUND)
    if arguments.json:
        output.say_json(**described(known))
    else:
        output.say(f"{output.printable(known.name or known.serial)} is bound to this machine.")
    return exits.OK


async def run_unbind(arguments: Namespace) -> int:
    async with target.manager(arguments) as manager:
        if arguments.tag is None:
            arguments.tag = await target.only_one_bound(manager)
        found = target.among(await manager.known(), arguments.tag)
        if found is None and not target.is_identifier(arguments.tag):
            raise exits.Failure(f"{arguments.tag} is not bound to this machine: see jacquardctl list.", exits.NOT_FOUND)
        await manager.unbind(arguments.tag.lower() if found is None else found.identifier)
    return exits.OK
