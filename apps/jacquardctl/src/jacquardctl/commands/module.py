"""jacquardctl module"""

from __future__ import annotations

from argparse import Namespace
from typing import Any

from jacquard import Module, Tag
from jacquard_apps.tags import target
from jacquard_apps.terminal import asking, exits, options, output

from . import firmware

HEADINGS = ("MODULE", "NAME", "VERSION", "SIZE", "")


def add(commands: Any) -> None:
    parser = commands.add_parser("module", help="the firmware modules installed on a tag")
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    listed = actions.add_parser("list", parents=[options.with_tag()], help="list the modules")
    listed.set_defaults(run=run_list)
    for name, help in (
        ("load", "load a module and wait until it runs"),
        ("unload", "unload a module; it stays installed"),
        ("delete", "delete a module from the tag; asks first, because a module cannot be read back"),
    ):
        action = actions.add_parser(name, parents=[options.with_tag()], help=help)
        action.add_argument("module", metavar="MODULE", type=options.word, help="number or name of the module, as shown by list")
        action.set_defaults(run=run_one)
        if name == "delete":
            action.add_argument("--yes", action="store_true", help="do not ask")
    install = actions.add_parser(
        "install",
        parents=[options.with_tag(), firmware.images(), firmware.choices()],
        help="install modules, like firmware install (never tested with a real tag)",
    )
    install.add_argument("--yes", action="store_true", help="install without asking")
    install.set_defaults(run=run_install)


async def run_list(arguments: Namespace) -> int:
    async with target.connected(arguments) as (_, tag):
        modules = await tag.modules()
    if arguments.json:
        for module in modules:
            output.say_json(**output.members_of(module))
    elif modules:
        output.show_table(HEADINGS, [row(module) for module in modules])
    return exits.OK


def row(module: Module) -> tuple[str, ...]:
    version = ".".join(str(part) for part in module.version)
    return (identity(module), module.name, version, str(module.size), "loaded" if module.enabled else "")


async def run_install(arguments: Namespace) -> int:
    images = firmware.read_all(arguments)
    others = [str(path) for path, image in zip(arguments.files, images) if not image.module_id]
    if others:
        raise exits.Failure(f"{', '.join(others)}: not a module; see jacquardctl firmware install.", exits.REFUSED)
    return await firmware.install(arguments, images)


async def run_one(arguments: Namespace) -> int:
    deletes = arguments.action == "delete"
    if deletes and not arguments.yes and not asking.is_possible():
        raise exits.Failure("Standard input is not a terminal: deleting needs --yes.", exits.USAGE)
    async with target.connected(arguments) as (_, tag):
        module = await wanted(tag, arguments.module)
        if deletes and not arguments.yes and not await confirmed(module):
            return exits.REFUSED
        act = {"load": tag.load_module, "unload": tag.unload_module, "delete": tag.delete_module}[arguments.action]
        await act(module)
    return exits.OK


async def confirmed(module: Module) -> bool:
    name = output.printable(module.name or identity(module))
    what = "It cannot be read back, and can only be installed again from a file that you have."
    return await asking.confirmed(f"Delete {name}? {what}")


async def wanted(tag: Tag, text: str) -> Module:
    modules = [module for module in await tag.modules() if text.lower() in (identity(module), module.name.lower())]
    if len(modules) != 1:
        said = f"has {len(modules)} modules" if modules else "has no module"
        raise exits.Failure(f"The tag {said} ‘{text}’: see jacquardctl module list.")
    return modules[0]


def identity(module: Module) -> str:
    """Vendor, product and module ID."""
    return "/".join(f"{number:08x}" for number in (module.vendor_id, module.product_id, module.module_id))
