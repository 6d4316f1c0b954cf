"""Each Swift module imports only those below it."""

import re
from pathlib import Path

SOURCES = Path(__file__).resolve().parents[3] / "Sources"

# From bottom to top, as in docs/architecture.md.
SYSTEM = {"CLinux", "CDBus", "Glibc", "Synchronization"}
BELOW = {
    "EventLoop": set(),
    "DBus": {"EventLoop"},
    "BlueZ": {"DBus", "EventLoop"},
    "WireFormat": set(),
    "JacquardWire": {"WireFormat"},
    "Motion": {"JacquardWire"},
    "TouchTracking": set(),
    "TagStore": {"EventLoop"},
    "Sharing": {"EventLoop"},
    "Jacquard": {"BlueZ", "DBus", "EventLoop", "JacquardWire", "Motion", "Sharing", "TagStore"},
    "JacquardABI": {"CJacquard", "EventLoop", "Jacquard", "JacquardWire", "Motion", "Sharing", "TouchTracking"},
    "PrivateBus": {"EventLoop"},
    "TagSimulator": {"DBus", "EventLoop", "JacquardWire", "PrivateBus", "WireFormat"},
    "jacquard-sim": {"ArgumentParser", "CJacquard", "DBus", "EventLoop", "PrivateBus", "TagSimulator", "TagStore"},
}
IMPORT = re.compile(r"^\s*(?:@\w+ )*(?:(?:public|package|internal|private|fileprivate) )?import (?:\w+ (?=\w+\.))?(\w+)", re.M)


def modules() -> set[str]:
    return {path.name for path in SOURCES.iterdir() if any(path.rglob("*.swift"))}


def imports(module: str) -> set[str]:
    files = (SOURCES / module).rglob("*.swift")
    return {name for file in files for name in IMPORT.findall(file.read_text())} - SYSTEM


def test_every_module_is_in_the_order() -> None:
    assert modules() == set(BELOW)


def test_modules_import_only_those_below() -> None:
    above = {module: imports(module) - below for module, below in BELOW.items()}
    assert not {module: found for module, found in above.items() if found}


def test_the_order_has_no_cycle() -> None:
    done: set[str] = set()
    remaining = dict(BELOW)
    while remaining:
        ready = {module for module, below in remaining.items() if below & set(BELOW) <= done}
        assert ready, f"circle among {sorted(remaining)}"
        done |= ready
        remaining = {module: below for module, below in remaining.items() if module not in ready}
