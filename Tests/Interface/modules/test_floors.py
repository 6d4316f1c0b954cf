"""Inside the module Jacquard, a folder names only types of the folders below it."""

import re
from pathlib import Path

JACQUARD = Path(__file__).resolve().parents[3] / "Sources" / "Jacquard"
# From bottom to top; folders of one floor do not know each other. Files without a folder may be named and name everything.
FLOORS = [{"Finding", "Events"}, {"Commands"}, {"Binding"}, {"Rights"}, {"Connecting"}, {"Motion", "Firmware", "Sharing"}]
# The arrows that still point upwards: the file, and the type that it names. No arrow may be added.
UPWARDS = {
    ("Attempt.swift", "TagLock"),
    ("CommandQueue.swift", "LinkLife"),
    ("Connection.swift", "FirmwareWork"),
    ("GearMonitor.swift", "Component"),
    ("GearMonitor.swift", "TouchMode"),
    ("LinkSources.swift", "ServiceEntrance"),
    ("LinkSources.swift", "ServiceSource"),
    ("Manager+KnownTags.swift", "Connection"),
    ("Manager+KnownTags.swift", "ServiceEntrance"),
    ("Notifications.swift", "Battery"),
    ("PacketWriter.swift", "LinkHealth"),
    ("PacketWriter.swift", "LinkLife"),
    ("RawChannel.swift", "Download"),
    ("RequestSender.swift", "LinkLife"),
    ("Restoration.swift", "Connection"),
    ("Tag.swift", "Link"),
    ("TagReservation.swift", "ServiceSource"),
}
# Types inside other types are left out: their names are not unique.
TYPE = re.compile(r"^((?:\w+ )*)(?:class|struct|enum|protocol|actor|typealias) (\w+)", re.MULTILINE)
NOT_CODE = re.compile(r'//.*|"(?:[^"\\\n]|\\.)*"')


def code() -> dict[Path, str]:
    return {path: NOT_CODE.sub("", path.read_text()) for path in JACQUARD.glob("*/**/*.swift")}


def folder(path: Path) -> str:
    return path.relative_to(JACQUARD).parts[0]


def floor(name: str) -> int:
    return next(number for number, names in enumerate(FLOORS) if name in names)


def upwards() -> set[tuple[str, str]]:
    files = code()
    found = ((path, *declared) for path, text in files.items() for declared in TYPE.findall(text))
    homes = {name: folder(path) for path, words, name in found if "private" not in words}
    named = ((path, homes[name], name) for path, text in files.items() for name in set(re.findall(r"\w+", text)) & set(homes))
    return {(path.name, name) for path, home, name in named if home != folder(path) and floor(home) >= floor(folder(path))}


def test_every_folder_has_a_floor() -> None:
    assert {path.name for path in JACQUARD.iterdir() if path.is_dir()} == set().union(*FLOORS)


def test_only_known_arrows_point_upwards() -> None:
    assert upwards() == UPWARDS
