"""Paths in the source tree."""

import os
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[3]
INCLUDE = ROOT / "include"
HEADER = INCLUDE / "jacquard.h"
BUILD = pathlib.Path(os.environ.get("JACQUARD_BUILD", ROOT / "build"))
LIBRARY = BUILD / "lib" / "libjacquard.so.1"
SIMULATOR = BUILD / "bin" / "jacquard-sim"
C_EXAMPLES = ROOT / "bindings" / "c" / "examples"
PYTHON_SOURCE = ROOT / "bindings" / "python" / "src"
TOOLS = ROOT / "tools"
APPS = ROOT / "apps"
APPS_SOURCE = APPS / "jacquard-apps" / "src"
AUTOMATIONS_SOURCE = APPS / "jacquard-automations" / "src"
CTL_SOURCE = APPS / "jacquardctl" / "src"
MQTT_SOURCE = APPS / "jacquard-mqtt" / "src"
BOARD_SOURCE = APPS / "jacquard-board" / "src"
CERTIFY_SOURCE = APPS / "jacquard-certify" / "src"
# The PYTHONPATH for programs that use the package, and for those that also use the tool with all its commands.
PYTHONPATH = f"{PYTHON_SOURCE}:{APPS_SOURCE}:{AUTOMATIONS_SOURCE}:{CTL_SOURCE}:{BOARD_SOURCE}:{CERTIFY_SOURCE}"
