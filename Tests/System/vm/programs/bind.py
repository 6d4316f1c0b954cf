"""Performs one action with bound tags, and prints the result: bind.py ADAPTER VERB [CODE]

bind CODE  finds the tag that advertises the end of the code and binds it, for an owner, with a profile
connect    connects to the tag that is known, without a code
serial     connects to the tag 01ZK, whether or not it is known
known      lists the known tags
identities lists the identifiers and addresses of the known tags
unbind     unbinds the tag that is known
"""

from __future__ import annotations

import sys

import jacquard
from jacquard import blocking


def use(connection: blocking.Connection) -> None:
    """Prints the phases, each once, and reads the battery."""
    last: str | None = None
    with connection:
        for state in connection.states():
            said = state.phase.name.lower() + (f": {state.reason.code.name}" if state.reason else "")
            if said != last:
                print(said)
            last = said
            if state.tag is not None:
                print("battery", state.tag.battery())
                return connection.disconnect()


def main(adapter: str, verb: str, code: str = "") -> None:
    with blocking.Manager(adapter=adapter) as manager:
        if verb == "bind":
            use(manager.bind(code=code, owner="me", profile={"colour": "blue"}))
        elif verb == "serial":
            use(manager.connect(serial="01ZK"))
        elif verb == "connect":
            use(manager.connect(manager.known()[0]))
        elif verb == "unbind":
            manager.unbind(manager.known()[0])
            print("unbound")
        elif verb == "identities":
            print(*(f"{tag.identifier} {tag.address}" for tag in manager.known()), sep="\n")
        else:
            tags = manager.known()
            print(
                *(f"{tag.serial} of {tag.owner}, {dict(tag.profile)}" for tag in tags) if tags else ["none"], sep="\n"
            )


try:
    main(*sys.argv[1:])
except jacquard.JacquardError as error:
    print("error", error.code.name)
