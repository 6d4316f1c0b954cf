"""What the manual pages say besides."""

from __future__ import annotations

from jacquardctl import exits

JACQUARDCTL = {
    "DESCRIPTION": """\
Finds Jacquard tags over Bluetooth LE, binds them to this machine, stays connected to them, and uses what they and their
gear can do. It needs no rights of its own: it talks to bluetoothd over D-Bus.

TAG is the serial number that a tag advertises, the longer one that is printed on it, or the end of either; or its name,
its Bluetooth address, or the identifier that scan shows. A word that several tags answer to is refused. When exactly
one tag is bound, TAG may be left out.

Results go to the standard output: lines and tables for people; with --json one JSON object a line, each as soon as
there is something to say. With --json a failure is an object on the standard error, with all that is known of it.""",
    "EXIT STATUS": "\n".join(f"{status}\t{meaning}" for status, meaning in exits.MEANINGS.items()),
    "ENVIRONMENT": """\
DBUS_SYSTEM_BUS_ADDRESS\tthe bus to use in place of the system's
JACQUARD_LIBRARY\tthe libjacquard.so to use
JACQUARD_SIM\tthe jacquard-sim that replay uses
XDG_STATE_HOME\twhere bound tags are remembered, in the folder jacquard; else ~/.local/state
JACQUARD_GESTURE\tset for the commands of watch --on: the gesture's name, such as brush-in
JACQUARD_GESTURE_NUMBER\tset for the commands of watch --on: the gesture's number
JACQUARD_TAG\tset for the commands of watch --on: the tag's identifier
JACQUARD_SERIAL\tset for the commands of watch --on: the tag's serial number, as far as it is known""",
    "EXAMPLES": """\
Steer music with a sleeve:

    jacquardctl bind 01ZK
    jacquardctl watch 01ZK --on brush-in 'playerctl next' --on double-tap 'playerctl play-pause'

Three lights in turn, and an alert:

    jacquardctl led 01ZK red:0.2 white:0.2 blue:0.2 --duration 3
    jacquardctl haptic 01ZK alert

Write down what goes wrong, and see it again without the tag:

    jacquardctl record 01ZK session.jsonl
    jacquardctl replay session.jsonl -- ./my-program""",
    "SEE ALSO": "jacquard-sim(1), bluetoothctl(1), rfkill(8), libjacquard(3)",
}

JACQUARD_SIM = {
    "DESCRIPTION": """\
Jacquard tags in software, for programs without hardware at hand. With run and serve they stand behind a scripted
org.bluez on a D-Bus of their own; with peripheral a Bluetooth adapter of this machine is the tag;
with peer another program has the radio.

The tags are strict: whatever the program under test does against the protocol is written to the standard error, and the
exit status is 70.

What happens to the tags and to the machine is told in scenarios: text files with an event a line, which
docs/scenarios.md describes.""",
    "EXIT STATUS": """\
0\tthe program of run ended with 0, or the simulation was told to end
64\twrong usage, or a scenario that makes no sense
70\tthe program under test broke the protocol
127\tthe program of run cannot be started
others\tthose of the program of run; 128 and the number of the signal that ended it""",
    "ENVIRONMENT": """\
DBUS_SYSTEM_BUS_ADDRESS\tset for the program of run: the bus that it is to use
XDG_STATE_HOME\tset for the program of run: a directory of its own, so that the tags that it binds are kept apart""",
    "EXAMPLES": """\
    jacquard-sim run --scenario gestures -- jacquardctl watch 01ZK
    jacquard-sim run --scenario evening.scenario --time-scale 10 -- ./my-program
    jacquard-sim peripheral --adapter hci1""",
    "SEE ALSO": "jacquardctl(1), libjacquard(3)",
}
