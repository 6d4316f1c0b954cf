"""The compiler refuses code that takes an object off the loop that it is confined to."""

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
SWIFTC = [
    "swiftc", "-swift-version", "6", "-enable-upcoming-feature", "NonisolatedNonsendingByDefault",
    "-parse-as-library", "-I", str(ROOT / "Sources/CLinux"),
]  # fmt: skip

CONFINED = """
    import EventLoop

    final class Link {
      let loop: EventLoop
      var changes = 0
      init(_ loop: EventLoop) { self.loop = loop }
      func answer() async { changes += 1 }
      %s
    }
"""

# Permitted uses of objects that belong to the loop.
RIGHT = [
    "func spawned() { loop.spawn { await self.answer() } }",
    """func awaited() {
         loop.spawn { [self] in
           _ = try? await loop.spawn(returning: { () throws(CancellationError) in self }).value
         }
       }""",
    "func posted() { loop.postHere { self.changes += 1 } }",
    "func scheduled() { loop.schedule(after: .seconds(1)) { self.changes += 1 } }",
    """func bounded() async throws {
         try await loop.withDeadline(.seconds(1), expired: .cancelled) { () throws(CancellationError) in
           await self.answer()
         }
       }""",
    "func bound() -> LoopBound<Link> { LoopBound(self, to: loop) }",
    "static func given(_ loop: EventLoop) { let link = Link(loop); loop.post { link.changes += 1 } }",
    "static func elsewhere(_ link: LoopBound<Link>, _ loop: EventLoop) { loop.post { link.value.changes += 1 } }",
]

SENDING = "SendingClosureRisksDataRace"
VALUE = "SendingRisksDataRace"
CAPTURE = "SendableClosureCaptures"

# Forbidden uses: the same on another executor or thread.
WRONG = [
    ("func started() { Task { await self.answer() } }", SENDING),
    ("func preferred() { Task(executorPreference: loop) { await self.answer() } }", SENDING),
    ("func detached() { Task.detached { await self.answer() } }", SENDING),
    ("func posted() { loop.post { self.changes += 1 } }", SENDING),
    ("func ran() async throws { try await loop.run { await self.answer() } }", SENDING),
    ("@concurrent func elsewhere() async {}; func sent() async { await elsewhere() }", VALUE),
    ("func kept() -> LoopBound<Link> { LoopBound(giving: self, to: loop) }", VALUE),
    ("func shared() { Locked(0).withLock { _ in }; _ = Locked(self) }", VALUE),
    (
        "func cancelled() async { await withTaskCancellationHandler { await answer() } onCancel: { self.changes = 0 } }",
        CAPTURE,
    ),
]


@pytest.fixture(scope="module")
def modules(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("modules")
    sources = sorted(str(path) for path in (ROOT / "Sources/EventLoop").rglob("*.swift"))
    output = folder / "EventLoop.swiftmodule"
    subprocess.run(
        [*SWIFTC, "-module-name", "EventLoop", "-emit-module", "-o", str(output), *sources], check=True, timeout=300
    )
    return folder


def errors(modules: Path, function: str) -> str:
    source = modules / "Link.swift"
    source.write_text(CONFINED % function)
    # Region isolation is checked in Swift's intermediate language, so -typecheck would not find these errors.
    command = [*SWIFTC, "-I", str(modules), "-emit-sil", "-o", "/dev/null", str(source)]
    result = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert (result.returncode == 0) == ("error:" not in result.stderr), result.stderr
    return result.stderr if result.returncode else ""


def test_permitted_uses_compile(modules: Path) -> None:
    assert errors(modules, "\n".join(RIGHT)) == ""


@pytest.mark.parametrize("function, group", WRONG, ids=[function.split("(")[0].split()[-1] for function, _ in WRONG])
def test_a_forbidden_use_does_not_compile(modules: Path, function: str, group: str) -> None:
    assert f"[#{group}]" in errors(modules, function)
