"""The types of messages and of the state file match the schemas."""

import subprocess
from pathlib import Path

import pytest
from conftest import ROOT, run

GENERATOR = ROOT / "Sources" / "WireFormat" / "generator"
WRITTEN = [
    ("Sources/JacquardWire/jacquard.proto", [], "Sources/JacquardWire/Messages.swift"),
    ("Sources/TagStore/state.proto", [], "Sources/TagStore/StoredState.swift"),
    ("Sources/Sharing/service.proto", ["--records"], "Sources/Sharing/Messages.swift"),
    ("Sources/Sharing/service.proto", ["--python"], "apps/jacquardctl/src/jacquardctl/doctor/messages.py"),
    ("Tests/Unit/WireFormatTests/shapes.proto", [], "Tests/Unit/WireFormatTests/Shapes.swift"),
]
SMALL = 'syntax = "proto2"; package p; option swift_prefix = "P"; '


@pytest.mark.parametrize("schema, options, output", WRITTEN, ids=[output for _, _, output in WRITTEN])
def test_generated_files_are_current(schema: str, options: list[str], output: str) -> None:
    ran = run([GENERATOR, ROOT / schema, *options])
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout == (ROOT / output).read_text(), "run `make generate FILES=messages`"


def generate(folder: Path, schema: str) -> subprocess.CompletedProcess[str]:
    (folder / "small.proto").write_text(schema)
    return run([GENERATOR, folder / "small.proto"])


def test_a_small_schema_is_supported(tmp_path: Path) -> None:
    ran = generate(tmp_path, SMALL + "message A { optional uint32 b = 1; }")
    assert ran.returncode == 0 and "public struct PA: WireMessage" in ran.stdout


@pytest.mark.parametrize(
    "schema",
    [
        "message A { required uint32 b = 1; }",
        "message A { optional sint32 b = 1; }",
        "message A { optional fixed32 b = 1; }",
        "message A { repeated string b = 1; }",
        "message A { repeated uint32 b = 1 [packed = true]; }",
        "message A { oneof b { uint32 c = 1; } }",
        "message A { map<string, string> b = 1; }",
        "message A { message B {} optional B b = 1; }",
        "message A { repeated group B = 1 { optional uint32 c = 2; } }",
        "message A { optional string b = 1 [default = 'c']; }",
        "message A { extensions 100 to 200; } extend A { optional uint32 b = 100; }",
        "enum E { F = 0; } message A { repeated E b = 1; }",
        "message A { optional uint32 b = 20000000; }",
    ],
)
def test_unsupported_schemas_are_refused(tmp_path: Path, schema: str) -> None:
    ran = generate(tmp_path, SMALL + schema)
    assert (ran.returncode, "not covered" in ran.stderr) == (1, True), ran.stderr


def test_the_generator_and_the_reader_use_the_same_kind_numbers() -> None:
    source = (ROOT / "Sources" / "WireFormat" / "Schema.swift").read_text()
    kinds = source[source.index("enum Kind") : source.index("struct Field")]
    lines = [line.removeprefix("case ") for line in map(str.strip, kinds.splitlines()) if line.startswith("case ")]
    named = subprocess.run(
        ["/usr/bin/python3", "-c", f"import runpy; print(*runpy.run_path({str(GENERATOR)!r}, run_name='generator')['KINDS'])"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert named.stdout.split() == ", ".join(lines).split(", ")
