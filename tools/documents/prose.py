"""The sections of the manual pages that do not describe the command line."""

from __future__ import annotations

from jacquard_apps.terminal import exits
from jacquard_mqtt import exits as exits_of_mqtt

JACQUARDCTL = {
    "DESCRIPTION": """\
jacquardctl finds Jacquard tags over Bluetooth LE, binds them to this machine, stays connected to them, and uses their
functions and those of their gear. It talks to bluetoothd over D-Bus and needs no special privileges.

TAG is the serial number that a tag advertises, the longer number printed on it, or the end of either number. It can
also be the tag's name, its Bluetooth address, or the identifier that scan shows. A word that matches several tags is
refused. If exactly one tag is bound, TAG may be omitted.

Results are written to standard output as text and tables. With --json each result is a JSON object on one line, which
is written as soon as it is available, and a failure is an object on standard error with all details of the error.""",
    "EXIT STATUS": "\n".join(f"{status}\t{meaning}" for status, meaning in exits.MEANINGS.items()),
    "ENVIRONMENT": """\
DBUS_SYSTEM_BUS_ADDRESS\tthe bus to use instead of the system bus
JACQUARD_LIBRARY\tpath of the libjacquard.so to use
JACQUARD_LOG\twarning, info or debug: the library's log up to this level is also written to standard error
JACQUARD_SIM\tpath of the jacquard-sim that replay and board use
XDG_STATE_HOME\tdirectory whose subdirectory jacquard holds the bound tags; default: ~/.local/state
XDG_RUNTIME_DIR\tdirectory whose subdirectory jacquard is where programs that share a tag meet; default: /run/user/UID
JACQUARD_GESTURE\tset for the commands of watch --on: the gesture's name, such as brush-in
JACQUARD_GESTURE_NUMBER\tset for the commands of watch --on: the gesture's number
JACQUARD_TRAINED\tset for the commands of run: the name of a gesture that was taught
JACQUARD_VALUE\tset for the commands of run: the value of a fader
JACQUARD_TAG\tset for the commands of watch --on: the tag's identifier
JACQUARD_SERIAL\tset for the commands of watch --on: the tag's serial number, if it is known""",
    "EXAMPLES": """\
Control music with a sleeve:

    jacquardctl bind 01ZK
    jacquardctl watch 01ZK --on brush-in 'playerctl next' --on double-tap 'playerctl play-pause' --led teal

The same by a rule of a file, from each login on:

    jacquardctl run --add 'gesture = "brush-in"' --do 'media = "next"'
    jacquardctl run --enable

Answer gestures with light and vibration, without any command:

    jacquardctl watch 01ZK --on cover --led 'red:0.3 blue:0.3 --duration 3' --haptic alert

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
jacquard-mqtt connects Jacquard tags to an MQTT broker: it publishes gestures, states, battery levels and gear, carries
out requests, and announces tags to Home Assistant. mqtt.md in the documentation
describes the topics and messages.

If the configuration file contains no [[tag]], it stays connected to all tags that this user has bound to this machine
with jacquardctl bind, including tags that are bound while it runs.

It runs as a service. The systemd user unit jacquard-mqtt.service runs it for a user, and shares tags with the other
programs of that user. The system unit of the same name, for gateways, runs it as the user jacquard-mqtt, and shares
tags with the users in the group jacquard. It reports readiness, status and liveness to systemd. SIGHUP (systemctl reload) makes it re-read its
configuration; SIGTERM and SIGINT end it.""",
    "EXIT STATUS": "\n".join(f"{status}\t{meaning}" for status, meaning in exits_of_mqtt.MEANINGS.items()),
    "FILES": """\
~/.config/jacquard-mqtt.toml\tthe configuration of a user
/etc/jacquard-mqtt.toml\tthe configuration of the machine, for users without their own file; it explains every setting
~/.local/state/jacquard\tthe bound tags
/var/lib/jacquard-mqtt\thome directory of the system unit's user""",
    "ENVIRONMENT": """\
DBUS_SYSTEM_BUS_ADDRESS\tthe bus to use instead of the system bus
JACQUARD_LIBRARY\tpath of the libjacquard.so to use
JACQUARD_LOG\twarning, info or debug: the library's log up to this level is also written to standard error
CREDENTIALS_DIRECTORY\tdirectory for a relative password_file, set by systemd for LoadCredential=
XDG_CONFIG_HOME\tdirectory of the user's configuration file; default: ~/.config
XDG_STATE_HOME\tdirectory whose subdirectory jacquard holds the bound tags; default: ~/.local/state
XDG_RUNTIME_DIR\tdirectory whose subdirectory jacquard is where programs that share a tag meet; default: /run/user/UID""",
    "EXAMPLES": """\
Start it for this user, now and whenever the machine starts:

    jacquardctl bind 01ZK
    systemctl --user enable --now jacquard-mqtt
    loginctl enable-linger

Print gestures, and play an LED pattern:

    mosquitto_sub -t 'jacquard/v1/tags/+/gesture'
    mosquitto_pub -t jacquard/v1/tags/SERIAL/request/led -m '{"color": "teal"}'""",
    "SEE ALSO": "jacquardctl(1), mosquitto(8), mosquitto_sub(1), systemctl(1), loginctl(1)",
}

JACQUARD_SIM = {
    "DESCRIPTION": """\
jacquard-sim runs software tags, so that programs can be tried and tested without hardware. With run and serve, the tags
belong to a simulated org.bluez on a private D-Bus. With peripheral, a Bluetooth adapter of this machine becomes the
tag. With peer, another program provides the radio.

The tags are strict: protocol violations of the program under test are reported on standard error, and the exit status
is 70.

Scenarios are text files that describe what happens to the tags and to the machine, with one event per line.
scenarios.md in the documentation describes them.""",
    "EXIT STATUS": """\
0\tthe program ended with 0 (run), or the simulation was terminated
2\twrong usage, or an invalid scenario
70\tthe program under test violated the protocol
127\tthe program cannot be started (run)
others\tthe exit status of the program (run), or 128 plus the number of the signal that terminated it""",
    "ENVIRONMENT": """\
DBUS_SYSTEM_BUS_ADDRESS\tset by run for the program: the bus to use
XDG_STATE_HOME\tset by run for the program: a separate directory for the tags that it binds""",
    "EXAMPLES": """\
    jacquard-sim run --scenario gestures -- jacquardctl watch 01ZK
    jacquard-sim run --scenario evening.scenario --time-scale 10 -- ./my-program
    jacquard-sim peripheral --adapter hci1""",
    "SEE ALSO": "jacquardctl(1), libjacquard(3)",
}
