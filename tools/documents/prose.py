"""The sections of the manual pages that do not describe the command line."""

from __future__ import annotations

from jacquard_mqtt import exits as exits_of_mqtt
from jacquardctl import exits

JACQUARDCTL = {
    "DESCRIPTION": """\
Finds Jacquard tags over Bluetooth LE, binds them to this machine, stays connected to them, and uses their functions and
those of their gear. It needs no special privileges: it talks to bluetoothd over D-Bus.

TAG is the serial number that a tag advertises, the longer one that is printed on it, or the end of either; or its name,
its Bluetooth address, or the identifier that scan shows. A word that matches several tags is refused. If exactly one
tag is bound, TAG may be omitted.

Results are written to standard output: as text and tables, or with --json as one JSON object per line, written as soon
as it is available. With --json a failure is an object on standard error with all details of the error.""",
    "EXIT STATUS": "\n".join(f"{status}\t{meaning}" for status, meaning in exits.MEANINGS.items()),
    "ENVIRONMENT": """\
DBUS_SYSTEM_BUS_ADDRESS\tthe bus to use instead of the system bus
JACQUARD_LIBRARY\tpath of the libjacquard.so to use
JACQUARD_SIM\tpath of the jacquard-sim that replay and board use
XDG_STATE_HOME\tdirectory whose subdirectory jacquard holds the bound tags; default: ~/.local/state
JACQUARD_GESTURE\tset for the commands of watch --on: the gesture's name, such as brush-in
JACQUARD_GESTURE_NUMBER\tset for the commands of watch --on: the gesture's number
JACQUARD_TAG\tset for the commands of watch --on: the tag's identifier
JACQUARD_SERIAL\tset for the commands of watch --on: the tag's serial number, as far as known""",
    "EXAMPLES": """\
Control music with a sleeve:

    jacquardctl bind 01ZK
    jacquardctl watch 01ZK --on brush-in 'playerctl next' --on double-tap 'playerctl play-pause'

Three colours in sequence, and an alert:

    jacquardctl led 01ZK red:0.2 white:0.2 blue:0.2 --duration 3
    jacquardctl haptic 01ZK alert

Show a software tag, a sleeve to touch, and a recording in the browser:

    jacquardctl board --simulate session.jsonl

Record a problem, and reproduce it without the tag:

    jacquardctl record 01ZK session.jsonl
    jacquardctl replay session.jsonl -- ./my-program""",
    "SEE ALSO": "jacquard-sim(1), bluetoothctl(1), rfkill(8), libjacquard(3)",
}

JACQUARD_MQTT = {
    "DESCRIPTION": """\
Connects Jacquard tags to an MQTT broker: publishes gestures, states, battery levels and gear, carries out requests, and
announces tags to Home Assistant. The topics and messages are documented in docs/mqtt.md.

Without [[tag]] in the configuration file, it stays connected to all tags that this user has bound to this machine, with
jacquardctl bind, and follows when tags are bound or unbound. Only one program at a time can be connected to a tag.

It is a service: the systemd user unit jacquard-mqtt.service runs it for a user, and the system unit of the same name for
gateways, as the user jacquard-mqtt. It reports readiness, status and liveness to systemd. SIGHUP (systemctl reload) lets
it read its configuration again; SIGTERM and SIGINT end it.""",
    "EXIT STATUS": "\n".join(f"{status}\t{meaning}" for status, meaning in exits_of_mqtt.MEANINGS.items()),
    "FILES": """\
~/.config/jacquard-mqtt.toml\tthe configuration of a user
/etc/jacquard-mqtt.toml\tthe configuration of the machine, for users without their own file; every setting is explained in it
~/.local/state/jacquard\tthe bound tags
/var/lib/jacquard-mqtt\thome directory of the system unit's user""",
    "ENVIRONMENT": """\
DBUS_SYSTEM_BUS_ADDRESS\tthe bus to use instead of the system bus
JACQUARD_LIBRARY\tpath of the libjacquard.so to use
CREDENTIALS_DIRECTORY\tdirectory in which a relative password_file is searched, as set by systemd for LoadCredential=
XDG_CONFIG_HOME\tdirectory of the user's configuration file; default: ~/.config
XDG_STATE_HOME\tdirectory whose subdirectory jacquard holds the bound tags; default: ~/.local/state""",
    "EXAMPLES": """\
Start it for this user, now and at each start of the machine:

    jacquardctl bind 01ZK
    systemctl --user enable --now jacquard-mqtt
    loginctl enable-linger

Print gestures, and play an LED pattern:

    mosquitto_sub -t 'jacquard/v1/+/tags/+/gesture'
    mosquitto_pub -t jacquard/v1/HOSTNAME/tags/SERIAL/request/led -m '{"color": "teal"}'""",
    "SEE ALSO": "jacquardctl(1), mosquitto(8), mosquitto_sub(1), systemctl(1), loginctl(1)",
}

JACQUARD_SIM = {
    "DESCRIPTION": """\
Software tags for programs without hardware. With run and serve the tags belong to a simulated org.bluez on a private
D-Bus; with peripheral a Bluetooth adapter of this machine is the tag; with peer another program provides the radio.

The tags are strict: protocol violations of the program under test are reported on standard error, and the exit status
is 70.

Scenarios describe what happens to the tags and to the machine: text files with one event per line, documented in
docs/scenarios.md.""",
    "EXIT STATUS": """\
0\tthe program of run ended with 0, or the simulation was terminated
64\twrong usage, or an invalid scenario
70\tthe program under test violated the protocol
127\tthe program of run cannot be started
others\tthe exit status of the program of run; 128 plus the number of the signal that terminated it""",
    "ENVIRONMENT": """\
DBUS_SYSTEM_BUS_ADDRESS\tset for the program of run: the bus to use
XDG_STATE_HOME\tset for the program of run: a separate directory, so that the tags that it binds are kept apart""",
    "EXAMPLES": """\
    jacquard-sim run --scenario gestures -- jacquardctl watch 01ZK
    jacquard-sim run --scenario evening.scenario --time-scale 10 -- ./my-program
    jacquard-sim peripheral --adapter hci1""",
    "SEE ALSO": "jacquardctl(1), libjacquard(3)",
}
