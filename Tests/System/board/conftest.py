from fixtures import simulator  # noqa: F401
