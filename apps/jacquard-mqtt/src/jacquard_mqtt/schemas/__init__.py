"""The JSON schemas of messages, requests and the configuration file."""

from __future__ import annotations

import functools
import json
from importlib import resources
from typing import Any


def _document(name: str) -> Any:
    return json.loads(resources.files(__package__).joinpath(name).read_text(encoding="utf-8"))


@functools.cache
def validator(name: str) -> Any:
    """The validator of the configuration file (`configuration`), or of a message or request: a definition of messages.json."""
    # The command line is also read where the manual page is made, without this package.
    import jsonschema

    if name == "configuration":
        return jsonschema.Draft202012Validator(_document("configuration.json"))
    return jsonschema.Draft202012Validator(_document("messages.json") | {"$ref": f"#/$defs/{name}"})
