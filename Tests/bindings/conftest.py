import companions
import pytest
from fixtures import WITH_COMPANIONS, simulator, simulator_for_module  # noqa: F401

# Tests that are about something else than a guest can see, or a host with guests, with the reason.
ALONE: dict[tuple[str, str], str] = {}
# Defects that are known, with what fails.
OPEN: dict[tuple[str, str], str] = {}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--beside", action="store_true", help="run each test as a guest, and as a host of guests")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if metafunc.config.getoption("beside"):
        for name in set(WITH_COMPANIONS) & set(metafunc.fixturenames):
            metafunc.parametrize(name, companions.WAYS, indirect=True)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """With --beside, only tests with a tag."""
    if not config.getoption("beside"):
        return
    chosen = []
    for item in items:
        parameters = item.callspec.params if hasattr(item, "callspec") else {}
        way = next((parameters[name] for name in WITH_COMPANIONS if name in parameters), None)
        key = (getattr(item, "originalname", item.name), str(way))
        if way is None or key in ALONE:
            continue
        if key in OPEN:
            item.add_marker(pytest.mark.xfail(reason=OPEN[key], strict=False))
        chosen.append(item)
    items[:] = chosen
