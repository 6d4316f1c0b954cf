"""Whether a service shares tags among programs: found and asked as the library does (ServicePlace.swift)."""

from __future__ import annotations

import dataclasses
import os
import socket
import struct
import uuid
from collections.abc import Mapping
from pathlib import Path

from jacquard_apps.system import processes

from . import links, messages, peers
from .diagnosis import user
from .finding import Finding

VARIABLE = "JACQUARD_SERVICE"
SYSTEM = Path("/run/jacquard/socket")
CONSEQUENCE = "A second program that connects to the same tag gets the error IN_USE."
START = "Start one: systemctl --user start jacquardd.socket. Where there is no systemd: jacquardd."
# Without a login session, there is neither a user's systemd nor a directory for its socket.
START_WITHOUT_SESSION = (
    "There is no login session here. Start one in a directory of your own: mkdir -m 700 {folder}; jacquardd --socket {folder}/socket, "
    f"and set {VARIABLE}={{folder}}/socket for all programs."
)
# Seconds until a service counts as hanging, as in the library.
TIMEOUT = 5
OTHER_VERSION = "The service uses another version of its protocol."
RESTART = "Restart it: systemctl --user restart jacquardd"


@dataclasses.dataclass(frozen=True)
class Answer:
    """The answer of a service: usage or refusal, and neither if it does not respond in time."""

    process: int
    user: int = 0
    usage: messages.Usage | None = None
    refusal: messages.Refused | None = None


def sharing(bus: str | None, names: Mapping[str, str]) -> Finding:
    """bus: its ID; None if there is none. names: those of known tags, by identifier."""
    chosen = os.environ.get(VARIABLE)
    if chosen == "off":
        return missing(f"{VARIABLE} is off, so programs do not share tags", f"Unset it. {CONSEQUENCE}", "off")
    findings = []
    for path in places():
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
    return missing("no service runs, so programs do not share tags", f"{start()} {CONSEQUENCE}", "no-service")


def start() -> str:
    if links.runtime_directory().parent.is_dir():
        return START
    return START_WITHOUT_SESSION.format(folder=Path.home() / ".jacquard")


def places() -> list[Path]:
    chosen = os.environ.get(VARIABLE)
    if chosen == "off":
        return []
    return [Path(chosen)] if chosen else [links.runtime_directory() / "socket", SYSTEM]


def missing(text: str, advice: str, problem: str) -> Finding:
    return Finding("sharing", True, text, advice, details={"problem": problem}, caveat=True)


def about(path: Path, answer: Answer, bus: str | None, names: Mapping[str, str]) -> Finding:
    service = processes.described(answer.process)
    details = {"process": answer.process, "socket": str(path)}
    usage, refusal = answer.usage, answer.refusal
    if usage is None and refusal is None:
        text = f"The service {service} at {path} does not respond."
        # The process may be the supervisor, which has created the socket.
        advice = "End it: systemctl --user restart jacquardd, or, where there is no systemd: pkill -x jacquardd"
        return Finding("sharing", False, text, advice, "service-hangs", details)
    if usage is None and refusal is not None:
        if refusal.refusal != messages.Refusal.OTHER_BUS:
            return Finding("sharing", False, refusal.error.message, refusal.error.advice, "service", details)
        if bus is not None:
            text = f"the service {service} at {path} uses another bus, so programs on this one do not share tags"
            advice = f"Start another one with the same DBUS_SYSTEM_BUS_ADDRESS: jacquardd --socket PATH, and set {VARIABLE}=PATH."
            return missing(text, f"{advice} {CONSEQUENCE}", "other-bus")
    programs = peers.of(path)
    served = [tag for tag, process in links.holders(bus or "*").items() if process == answer.process]
    tags = ", ".join(sorted(names.get(tag, tag) for tag in served))
    uses = ", ".join(map(processes.described, programs)) or "no program uses it"
    warm = "links" if programs else "warm links"
    text = f"{service} shares tags at {path}; {'programs: ' if programs else ''}{uses}" + (f"; {warm}: {tags}" if tags else "")
    if usage is not None:
        text += f"; {shares_of(usage)}"
        details["limits"] = {name: value for name, value in dataclasses.asdict(usage).items() if name != "process"}
    return Finding("sharing", True, text, details={**details, "programs": programs, "links": served})


def shares_of(usage: messages.Usage) -> str:
    """How much of its limits the service uses, without the connection of this program."""
    everybody = f"{usage.connections - 1} of {usage.most_connections} connections"
    own = f"{usage.connections_of_user - 1} of {usage.most_connections_of_user} by this user"
    return f"{everybody}, {own}, at most {usage.most_connections_of_process} by one program"


def distrust(path: Path, user: int) -> str:
    """Why the library does not use a service there (ServicePlace.swift); empty if it does. user: the listening user."""
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
    """Asks the service what it is used for. Raises OSError if no service listens."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as channel:
        channel.settimeout(TIMEOUT)
        channel.connect(str(path))
        process, user_id, _ = struct.unpack("iii", channel.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
        # The tag does not matter.
        hello = messages.Hello(
            messages.Version.CURRENT, purpose=messages.Purpose.USAGE, bus=bus or "", tag=str(uuid.UUID(int=0)))
        try:
            channel.send(messages.encode(hello))
            record = channel.recv(8192)
        except OSError:
            return Answer(process, user_id)
    try:
        answer = messages.decode(record)
    except ValueError:
        answer = None
    if isinstance(answer, messages.Usage):
        return Answer(answer.process, user_id, usage=answer)
    if not isinstance(answer, messages.Refused):
        answer = messages.Refused(messages.Refusal.VERSION, messages.ErrorReport(message=OTHER_VERSION, advice=RESTART))
    return Answer(process, user_id, refusal=answer)
