#!/usr/bin/env python3
"""The settings of Sphinx for the site: the documents as static pages with search, in build/site/html.

`make site` runs this file as a program, which installs Sphinx in build/site once, copies the documents beside it, adds those that
are generated, and starts it. Each link between documents must have a target. Links to other files of the tree lead to the
repository.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import venv
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
SITE = ROOT / "build" / "site"
SOURCE = SITE / "source"
GENERATOR = ROOT / "docs" / "generator"
sys.path.append(str(ROOT / "tools"))

from header import links  # noqa: E402

PACKAGES = ["furo==2025.12.19", "myst-parser==5.2.0", "Sphinx==9.0.4"]

(repository,) = re.findall(r"^REPOSITORY := (.*)", (ROOT / "tools/release/settings").read_text(), re.MULTILINE)
release = ".".join(re.findall(r"#define JACQUARD_VERSION_\w+ (\d+)", (ROOT / "include/jacquard.h").read_text()))
project = "libjacquard"
html_title = f"{project} {release}"
html_theme = "furo"
html_copy_source = False
extensions = ["myst_parser"]
DOCUMENTS = ["*.md", "bindings/*/README.md", "docs/*.md", "docs/pictures/*"]
root_doc = "README"
myst_heading_anchors = 6
nitpicky = True
# Blocks mark parts that are left out.
suppress_warnings = ["misc.highlighting_failure"]


def add_pages(app: Any, page: str, source: list[str]) -> None:
    """Lists all pages in the first one, and leads links to other files to the repository."""

    def link(match: re.Match[str]) -> str:
        folder = Path(page).parent
        path = Path(os.path.normpath(ROOT / folder / match[1]))
        about, place = links.page(str(path.relative_to(ROOT)), (match[2] or "")[1:])
        if about != str(path.relative_to(ROOT)):
            return f"]({os.path.relpath(about, folder)}{place and '#'}{place}"
        is_page = str(path.relative_to(ROOT).with_suffix("")) in app.env.found_docs
        is_other = path.exists() and not is_page and path.suffix not in (".png", ".svg")
        return f"]({repository}/blob/HEAD/{path.relative_to(ROOT)}{match[2] or ''}" if is_other else match[0]

    source[0] = re.sub(r"\]\((?!\w+:)([\w./-]+)(#[\w-]+)?", link, source[0])
    if page == root_doc:  # its last table has the order
        places = {name: source[0].rfind(f"]({name}.md") for name in app.env.found_docs - {page}}
        pages = "\n".join(sorted(places, key=lambda name: (places[name] < 0, places[name], name)))
        source[0] += f"\n```{{toctree}}\n:hidden:\n:maxdepth: 1\n\n{pages}\n```\n"


def add_index(app: Any, error: object) -> None:
    if not error:
        shutil.copy(SITE / "html" / f"{root_doc}.html", SITE / "html" / "index.html")


def setup(app: Any) -> None:
    from pygments.lexers.special import TextLexer

    app.add_lexer("scenario", TextLexer)
    app.connect("source-read", add_pages)
    app.connect("build-finished", add_index)


def copy_documents() -> None:
    shutil.rmtree(SOURCE, ignore_errors=True)
    for path in [path for pattern in DOCUMENTS for path in ROOT.glob(pattern)]:
        copy = SOURCE / path.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, copy)
    subprocess.run([sys.executable, "-B", GENERATOR, SOURCE / "docs"], check=True)


def main() -> None:
    tools, installed = SITE / "tools", SITE / "tools" / "installed"
    if not installed.exists() or installed.read_text().split() != PACKAGES:
        print(f"Installing {', '.join(PACKAGES)} in {tools.relative_to(ROOT)}", flush=True)
        venv.create(tools, with_pip=True, clear=True)
        subprocess.run([tools / "bin" / "pip", "install", "--quiet", "--disable-pip-version-check", *PACKAGES], check=True)
        installed.write_text("\n".join(PACKAGES))
    copy_documents()
    options: list[str | Path] = ["--quiet", "--fail-on-warning", "--keep-going", "-b", "html", "-c", Path(__file__).parent, "-d", SITE / "doctrees"]
    made = subprocess.run([tools / "bin" / "sphinx-build", *options, SOURCE, SITE / "html"])
    if made.returncode == 0:
        print(f"{SITE.relative_to(ROOT)}/html/index.html")
    sys.exit(made.returncode)


if __name__ == "__main__":
    main()
