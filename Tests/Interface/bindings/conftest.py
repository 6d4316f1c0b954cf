import companions
import pytest
from fixtures import WITH_COMPANIONS, simulator, simulator_for_module  # noqa: F401

# Tests that do not apply in one of the ways, with the reason.
NOT_APPLICABLE = {
    ("test_a_tag_is_found_by_its_serial", "busy"): "a tag with a link does not advertise",
    ("test_a_scan_that_the_controller_refuses_raises_the_reason", "busy"): "a tag with a link is found without a scan",
    ("test_connected_tags_are_listed", "busy"): "the tag is connected before the test",
    ("test_states_arrive_in_order_with_every_step_once", "busy"): "a program that joins others has one step",
}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--beside", action="store_true", help="run each test without a service, and beside other programs")


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
        if way is None or key in NOT_APPLICABLE:
            continue
        chosen.append(item)
    items[:] = chosen
