"""The stored inputs of a target: a file with one input in each line, in hexadecimal, and a name for those that were written or
once caused a failure. The others are a minimal set that reaches the same code."""

from collections.abc import Iterable
from pathlib import Path

FOLDER = Path(__file__).resolve().parent / "inputs"


def read(target: str) -> list[tuple[bytes, str]]:
    """Bytes and name of each input; most names are empty."""
    path = FOLDER / target
    lines = path.read_text().splitlines() if path.exists() else []
    return [(bytes.fromhex(digits), name) for digits, _, name in (line.partition(" ") for line in lines)]


def write(target: str, inputs: Iterable[tuple[bytes, str]]) -> None:
    """Stores the named inputs first, then the others from the shortest to the longest."""
    ordered = sorted(set(inputs), key=lambda each: (not each[1], each[1], len(each[0]), each[0]))
    (FOLDER / target).write_text("".join(f"{data.hex()} {name}".rstrip() + "\n" for data, name in ordered))


def unpack(target: str, folder: Path) -> list[Path]:
    """Writes each input to a separate file; returns the files in order."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for number, (data, name) in enumerate(read(target)):
        paths.append(folder / (name or f"{number}"))
        paths[-1].write_bytes(data)
    return paths
