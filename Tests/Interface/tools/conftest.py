from fixtures import simulator, simulator_for_module  # noqa: F401
