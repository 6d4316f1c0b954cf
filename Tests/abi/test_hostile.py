"""Programs that call the library wrongly in every way get error codes, and nothing else happens to them."""

import re

import pytest
from conftest import HEADER, ROOT, SIMULATOR, build, run
from surface import declared

SOURCES = ROOT / "Tests" / "abi"


def without_complaint(command, **options):
    ran = run(command, timeout=120, **options)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("hostile")


def test_every_function_is_called_wrongly():
    text = "".join((SOURCES / name).read_text() for name in ["hostile.c", "hostile_tag.c"])
    called = set(re.findall(r"\b(jacquard_\w+)\(", text))
    assert set(declared(HEADER.read_text())) - called == set()


def test_wrong_arguments_without_a_bus(folder):
    program = build(SOURCES / "hostile.c", folder / "hostile", "-D_GNU_SOURCE")
    without_complaint([program], env={"DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent"})


def test_wrong_arguments_with_a_bus(folder):
    program = build(SOURCES / "hostile.c", folder / "hostile", "-D_GNU_SOURCE")
    without_complaint([SIMULATOR, "run", "--", program])


def test_wrong_arguments_with_a_connected_tag(folder):
    program = build(SOURCES / "hostile_tag.c", folder / "hostile_tag", "-D_GNU_SOURCE", "-pthread")
    without_complaint([SIMULATOR, "run", "--", program])
