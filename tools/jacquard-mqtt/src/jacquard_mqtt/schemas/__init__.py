"""The JSON schemas of messages, requests and the configuration file."""

from __future__ import annotations

import functools
import json
from importlib import resources
from typing import Any

import jsonschema


@functools.cache
def validator(name: str) -> Any:
    text = resources.files(__package__).joinpath(f"{name}.json").read_text(encoding="utf-8")
    return jsonschema.Draft202012Validator(json.loads(text))
