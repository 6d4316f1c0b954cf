import companions
import pytest
from fixtures import WITH_COMPANIONS, simulator, simulator_for_module  # noqa: F401

# Tests that do not apply to a guest or to a host with guests, with the reason.
ALONE = {
    ("test_a_tag_is_found_by_its_serial", "idle"): "a tag with a link does not advertise",
    ("test_states_arrive_in_order_with_every_step_once", "idle"): "a guest that joins a link has one step",
}


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
        chosen.append(item)
    items[:] = chosen
