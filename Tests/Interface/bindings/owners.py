"""A session of jacquardctl certify with a random tag and owner, whose file is searched for data that identify them."""

from __future__ import annotations

import getpass
import json
import random
import shlex
import socket
import subprocess
from pathlib import Path

import ctl
import places
from certifying import CONSENT, LONGEST, SCALE, words
from personal import Secrets, chosen_name, chosen_serial

ADAPTER = "00:1A:7D:DA:71:13"
NEIGHBOURS = 20
NAMES_OF_NEIGHBOURS = ["Keyboard", "Headset", "Phone", "Mouse", "Jacquard-01ZK", "Speaker"]
ANSWERS = (
    "use: yes\nmotion: no\nlisten: no",
    "use: yes\nmotion: yes\nlisten: no",
    "use: no\nmotion: yes\nlisten: no",
    f"{CONSENT}\nuse: yes\nmotion: no\nlisten: no",
    "use: no\nmotion: no\nlisten: yes",
)


def session(folder: Path, seed: int) -> str:
    """The problem with the file, or "". The tag has a name, a number and a recording of its owner, and is beside a bonded
    keyboard, a headset and other named devices."""
    chance = random.Random(seed)
    home = folder / chosen_name(chance).replace("/", "-")
    home.mkdir(parents=True)
    name, serial, recording = chosen_name(chance), chosen_serial(chance), chosen_name(chance).replace(" ", "_")
    actions = [f"name {name}", f"serial {serial}", f"neighbours {NEIGHBOURS}", f"session {recording} samples 20"]
    actions.append(f"address {chance.choice(['identity', 'private'])}")
    (folder / "scenario").write_text("".join(f"{action}\n" for action in actions))
    (folder / "answers").write_text(ANSWERS[seed % len(ANSWERS)])
    ran = run(folder, home, serial)
    if ran.returncode != 0:
        return f"status {ran.returncode}: {(ran.stdout + ran.stderr)[-400:]}"
    data = (folder / "file").read_bytes()
    left = secrets_of(folder, [name, serial, recording, home.name, str(home)]).left_in(data)
    if left:
        return f"the file has {left}"
    return "" if json.loads(data)["replaced"] else "nothing was replaced"


def run(folder: Path, home: Path, serial: str) -> subprocess.CompletedProcess[str]:
    """Another program asks the tag first, and its output is stored as well."""
    simulated = ["--no-service", "--time-scale", str(SCALE), "--scenario", str(folder / "scenario")]
    told = f"{shlex.join(ctl.program('info', serial, '--json'))} > {shlex.quote(str(folder / 'told'))}"
    command = [str(places.SIMULATOR), "run", *simulated, "--", "sh", "-c", f"{told} && exec {shlex.join(words(folder, serial))}"]
    changes = {"XDG_RUNTIME_DIR": str(folder), "XDG_STATE_HOME": str(folder), "HOME": str(home), "JACQUARD_SERVICE": "off"}
    environment = ctl.environment("unix:path=/none", **changes)
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=LONGEST)


def secrets_of(folder: Path, texts: list[str]) -> Secrets:
    tag = json.loads((folder / "told").read_text())["tag"]
    texts = [*texts, tag["identifier"], tag["uuid"], tag["serial"], tag["serial"][-4:]]
    neighbours = [f"D0:00:00:00:00:{number:02X}" for number in range(NEIGHBOURS)]
    # Only as texts: their bytes, most of which are 0, also occur as small numbers in motion data.
    texts += [one.replace(":", sign) for one in neighbours for sign in ":_-"]
    addresses = [tag["address"], ADAPTER]
    names = [socket.gethostname(), getpass.getuser(), *NAMES_OF_NEIGHBOURS]
    return Secrets(texts, [bytes.fromhex(one.replace(":", "")) for one in addresses], names)
