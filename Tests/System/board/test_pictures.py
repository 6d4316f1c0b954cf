"""The pictures in the documents show the current page, and the diagrams the current figures."""

from __future__ import annotations

import base64
import re
import sys
from pathlib import Path

import pictures
import pytest
from boards import run
from browser import chromium

sys.path.append(str(pictures.ROOT / "docs" / "generator"))
from diagrams import diagrams  # noqa: E402

LARGEST = 150_000
# The maximum mean difference, out of 255: fonts and antialiasing differ between releases of the browser.
MEAN_DIFFERENCE = 6

DIFFERENCE = """
  const [one, other] = await Promise.all([%r, %r].map(async (data) => {
    const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
    return createImageBitmap(new Blob([bytes], {type: "image/png"}));
  }));
  if (one.width !== other.width || one.height !== other.height) return 255;
  const [a, b] = [one, other].map((image) => {
    const context = new OffscreenCanvas(image.width, image.height).getContext("2d");
    context.drawImage(image, 0, 0);
    return context.getImageData(0, 0, image.width, image.height).data;
  });
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += Math.abs(a[i] - b[i]);
  return sum / a.length;
"""


@pytest.mark.browsers
def test_pictures_are_current() -> None:
    async def body() -> None:
        found = await pictures.pictures()
        files = {path.stem: path.read_bytes() for path in pictures.FOLDER.glob("*.png")}
        assert files.keys() == found.keys(), "run: make generate FILES=pictures"
        async with chromium() as page:
            for name, picture in found.items():
                encoded = [base64.b64encode(one).decode() for one in (picture, files[name])]
                difference = await page.run(DIFFERENCE % tuple(encoded))
                assert difference < MEAN_DIFFERENCE, f"{name} differs by {difference:.1f}; run: make generate FILES=pictures"

    run(body(), 300)


def test_diagrams_are_current() -> None:
    """Positions differ by a pixel where another processor rounds otherwise."""
    number = re.compile(r"\d+")
    for name, content in diagrams().items():
        file = (pictures.FOLDER / name).read_text(encoding="utf-8")
        assert number.split(file) == number.split(content), f"{name}: run: make generate FILES=pictures"
        pairs = list(zip(number.findall(file), number.findall(content)))
        assert all(abs(int(one) - int(other)) <= 1 for one, other in pairs), (
            f"{name}: run: make generate FILES=pictures"
        )


@pytest.mark.parametrize("path", pictures.FOLDER.iterdir(), ids=lambda path: path.stem)
def test_pictures_are_small_and_used(path: Path) -> None:
    assert path.stat().st_size < LARGEST
    documents = [pictures.ROOT / "README.md", *pictures.ROOT.glob("docs/*.md")]
    assert any(f"pictures/{path.name})" in document.read_text() for document in documents)
