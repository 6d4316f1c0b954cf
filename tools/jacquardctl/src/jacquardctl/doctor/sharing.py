"""Whether a service shares tags among programs: found and asked as the library does (ServicePlace.swift)."""

from __future__ import annotations

import dataclasses
import os
import socket
import struct
import uuid
from collections.abc import Mapping
from pathlib import Path

from .. import links, processes
from . import messages, peers
from .diagnosis import user
from .finding import Finding

VARIABLE = "JACQUARD_SERVICE"
SYSTEM = Path("/run/jacquard/socket")
CONSEQUENCE = "A second program that connects to the same tag gets the error IN_USE."
START = "Start one: systemctl --user start jacquardd.socket. Where there is no systemd: jacquardd."
# Seconds until a service counts as hanging, as in the library.
TIMEOUT = 5
# The protocol's version (ServiceMessage.swift).
VERSION = 1
OTHER_VERSION = "The service uses another version of its protocol."
RESTART = "Restart it: systemctl --user restart jacquardd"


@dataclasses.dataclass(frozen=True)
class Answer:
    """What a service says. refusal: None if it does not respond in time."""

    process: int
    refusal: int | None
    message: str = ""
    advice: str = ""
    user: int = 0


def sharing(bus: str | None, names: Mapping[str, str]) -> Finding:
    """bus: its ID; None if there is none. names: those of known tags, by identifier."""
    chosen = os.environ.get(VARIABLE)
    if chosen == "off":
        return missing(f"{VARIABLE} is off, so programs do not share tags", f"Unset it. {CONSEQUENCE}", "off")
    findings = []
    for path in [Path(chosen)] if chosen else [links.runtime_directory() / "socket", SYSTEM]:
        try:
            answer = ask(path, bus)
        except PermissionError:
            text = f"{user()} may not use the service at {path}, so programs do not share tags"
            advice = f"Join the group jacquard: sudo adduser {user()} jacquard, then log in again."
            findings.append(missing(text, f"{advice} {CONSEQUENCE}", "permission-denied"))
        except OSError:
            continue
        else:
            reason = "" if chosen else distrust(path, answer.user)
            if reason:
                text = f"the service at {path} is not used, because {reason}"
                findings.append(missing(text, f"If it is yours, set {VARIABLE}={path}. {CONSEQUENCE}", "distrusted"))
                continue
            finding = about(path, answer, bus, names)
            if not finding.caveat:
                return finding
            findings.append(finding)
    if findings:
        return findings[0]
    if chosen:
        text = f"No service listens at {chosen}, which {VARIABLE} names, so no program can use a tag."
        advice = f"Start it: jacquardd --socket {chosen}. Or unset {VARIABLE}."
        return Finding("sharing", False, text, advice, "no-service")
    return missing("no service runs, so programs do not share tags", f"{START} {CONSEQUENCE}", "no-service")


def missing(text: str, advice: str, problem: str) -> Finding:
    return Finding("sharing", True, text, advice, details={"problem": problem}, caveat=True)


def about(path: Path, answer: Answer, bus: str | None, names: Mapping[str, str]) -> Finding:
    service = processes.described(answer.process)
    details = {"process": answer.process, "socket": str(path)}
    if answer.refusal is None:
        text = f"The service {service} at {path} does not respond."
        # The process may be the supervisor, which has created the socket.
        advice = "End it: systemctl --user restart jacquardd, or, where there is no systemd: pkill -x jacquardd"
        return Finding("sharing", False, text, advice, "service-hangs", details)
    if answer.refusal == messages.Refusal.OTHER_BUS and bus is not None:
        text = f"the service {service} at {path} uses another bus, so programs on this one do not share tags"
        advice = f"Start another one with the same DBUS_SYSTEM_BUS_ADDRESS: jacquardd --socket PATH, and set {VARIABLE}=PATH."
        return missing(text, f"{advice} {CONSEQUENCE}", "other-bus")
    if answer.refusal not in (messages.Refusal.RELEASED, messages.Refusal.OTHER_BUS):
        return Finding("sharing", False, answer.message, answer.advice, "service", details)
    programs = peers.of(path)
    served = [tag for tag, process in links.holders(bus or "*").items() if process == answer.process]
    tags = ", ".join(sorted(names.get(tag, tag) for tag in served))
    uses = ", ".join(map(processes.described, programs)) or "no program uses it"
    warm = "links" if programs else "warm links"
    text = f"{service} shares tags at {path}; {'programs: ' if programs else ''}{uses}" + (f"; {warm}: {tags}" if tags else "")
    return Finding("sharing", True, text, details={**details, "programs": programs, "links": served})


def distrust(path: Path, user: int) -> str:
    """Why the library does not use a service there (ServicePlace.swift); empty if it does. user: the one that listens."""
    directory = path.parent.stat()
    owner, own = directory.st_uid, (0, os.geteuid())
    if directory.st_mode & 0o022:
        return "other users can change its directory"
    if path != SYSTEM and owner not in own:
        return f"its directory belongs to user {owner}"
    if user not in (own if path != SYSTEM else (0, owner)) and (path != SYSTEM or owner != 0):
        return f"user {user} listens there"
    return ""


def ask(path: Path, bus: str | None) -> Answer:
    """Asks the service to release a tag that does not exist, which changes nothing. Raises OSError if no service listens."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as channel:
        channel.settimeout(TIMEOUT)
        channel.connect(str(path))
        process, user_id, _ = struct.unpack("iii", channel.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
        hello = messages.Hello(VERSION, purpose=messages.Purpose.RELEASE, bus=bus or "", tag=str(uuid.uuid4()))
        try:
            channel.send(messages.encode(hello))
            record = channel.recv(8192)
        except OSError:
            return Answer(process, None, user=user_id)
    try:
        answer = messages.decode(record)
    except ValueError:
        answer = None
    if not isinstance(answer, messages.Refused):
        return Answer(process, messages.Refusal.VERSION, OTHER_VERSION, RESTART, user_id)
    return Answer(process, answer.refusal, answer.error.message, answer.error.advice, user_id)
