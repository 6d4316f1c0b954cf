"""Firmware images with manifests."""

from pathlib import Path
from typing import Any

from jacquard import Firmware

DATA = bytes(number % 251 for number in range(5000))
TAG_IDS = {"vendor_id": 0x117830C8, "product_id": 0x283BE7A0}
MODULE_IDS = {"vendor_id": 0x117830C8, "product_id": 0xEF3E5B88, "module_id": 0x3D0BE753}


def add_image(folder: Path, name: str, version: tuple[int, int, int], ids: Any = TAG_IDS) -> None:
    (folder / name).write_bytes(DATA)
    (folder / f"{name}.json").write_text(Firmware(DATA, version=version, **ids).manifest)
