"""The workflows of the forge: valid, without findings of zizmor, pinned, and only a call of make targets."""

import json
import re
from pathlib import Path

import pytest
from conftest import ROOT, run
from test_release import tools  # noqa: F401

GITHUB = ROOT / ".github"
WORKFLOWS = sorted((GITHUB / "workflows").iterdir())
TEXTS = {path.stem: path.read_text() for path in WORKFLOWS}
# Commands before and after make: a container has neither git nor make, and only GitHub's program can draft a release.
AROUND = [
    "apt-get update && apt-get install --yes --no-install-recommends ca-certificates git make",
    'git config --global --add safe.directory "$GITHUB_WORKSPACE"',
    ".github/install-swift",
    'gh release create "$GITHUB_REF_NAME" --draft --verify-tag --title "$GITHUB_REF_NAME" release/*',
]


def is_valid(tools: Path, *workflows: Path) -> bool:
    return run([tools / "check-jsonschema", "--builtin-schema", "vendor.github-workflows", *workflows]).returncode == 0


def findings(tools: Path, *workflows: Path) -> list[str]:
    """The rules of zizmor that the workflows break."""
    audit = run([tools / "zizmor", "--offline", "--persona=pedantic", "--format=json", "--no-progress", *workflows])
    return [finding["ident"] for finding in json.loads(audit.stdout)]


def test_workflows_are_valid_and_safe(tools: Path) -> None:
    """All are checked at once, because each of the two programs takes seconds to start."""
    assert is_valid(tools, *WORKFLOWS)
    assert findings(tools, *WORKFLOWS) == []


def worse(folder: Path, before: str, after: str) -> Path:
    workflow = folder / ".github" / "workflows" / "check.yml"
    workflow.parent.mkdir(parents=True)
    assert before in TEXTS["check"]
    workflow.write_text(TEXTS["check"].replace(before, after))
    return workflow


def test_an_invalid_workflow_is_refused(tools: Path, tmp_path: Path) -> None:
    assert not is_valid(tools, worse(tmp_path, "runs-on:", "runs-in:"))


@pytest.mark.parametrize("before, after, rule", [
    ("contents: read", "contents: write", "excessive-permissions"),
    ("make tests", "make ${{ github.head_ref }}", "template-injection"),
])  # fmt: skip
def test_an_unsafe_workflow_has_findings(tools: Path, tmp_path: Path, before: str, after: str, rule: str) -> None:
    workflow = worse(tmp_path, before, after)
    assert rule in findings(tools, workflow)


def test_actions_and_images_are_pinned_once() -> None:
    actions = {line for text in TEXTS.values() for line in re.findall(r"uses: (.*)", text)}
    images = {line for text in TEXTS.values() for line in re.findall(r"image: (.*)", text) if "matrix" not in line}
    assert actions and images
    assert [line for line in actions if not re.fullmatch(r"[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", line)] == []
    assert [line for line in images if not re.fullmatch(r"[\w.:-]+@sha256:[0-9a-f]{64}", line)] == []
    for pins in (actions, images):
        assert len({line.split("@")[0] for line in pins}) == len(pins)


def commands() -> list[str]:
    assert not [text for text in TEXTS.values() if re.search(r"run: *[|>]", text)]
    return [line for text in TEXTS.values() for line in re.findall(r"run: (.*)", text)]


def test_steps_only_call_make_targets() -> None:
    targets = " ".join(re.findall(r"^\.PHONY: (.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE))
    tests = set(re.findall(r"^# ([a-z0-9-]+) ", (ROOT / "Tests" / "Support" / "long").read_text(), re.MULTILINE))
    make = [command.removeprefix("make ") for command in commands() if command not in AROUND]
    chosen = " ".join(re.findall(r"targets: (.*)", TEXTS["check"]))
    words = " ".join(make).replace("$TARGETS", chosen)
    assert set(re.sub(r'TESTS="[^"]*"', "", words).split()) <= set(targets.split())
    named = " ".join(re.findall(r'TESTS="([^"]*)"', words)).replace("$TEST", " ".join(re.findall(r" test: \[(.*)\]", TEXTS["nightly"])))
    assert {word.split("=")[0] for word in re.split(r"[ ,]+", named)} <= tests


def test_every_command_around_make_is_needed() -> None:
    assert set(AROUND) <= set(commands())


def test_swift_is_new_enough() -> None:
    (version,) = re.findall(r"^version=(\d+\.\d+)", (GITHUB / "install-swift").read_text(), re.MULTILINE)
    texts = [(ROOT / name).read_text() for name in ("README.md", "docs/contributing.md")]
    (needed,) = {number for text in texts for number in re.findall(r"Swift(?:\]\(.*\))? (\d+\.\d+) or later", text)}
    assert tuple(map(int, version.split("."))) >= tuple(map(int, needed.split(".")))
