"""The questions: what is asked, how it is decided, what may go wrong, and how long it takes.

The table of assumptions in docs/protocol.md has the same questions, by the simulator's action; a test compares them.
"""

from __future__ import annotations

import dataclasses

LISTEN, USE, MOTION, BIND = "listen", "use", "motion", "bind"


@dataclasses.dataclass(frozen=True)
class Question:
    """`name` is the simulator's action. `experiment` is the module and function that decide it; "" for none: `why_not`
    says why. `seconds` is the usual duration of the experiment, which several questions may share. `risk` says what may
    go wrong, and what is done about it. `needs` is a condition, without which there is no answer."""

    name: str
    text: str
    values: tuple[str, ...]
    how: str = ""
    experiment: str = ""
    stage: str = ""
    seconds: int = 0
    risk: str = ""
    needs: str = ""
    why_not: str = ""
    # Whether a value is a time that is measured, and may be another one than in the table.
    is_time: bool = False

    @property
    def is_decidable(self) -> bool:
        return bool(self.experiment)


QUESTIONS = (
    Question(
        "pairing",
        "How does the tag pair?",
        ("nothing", "confirmation", "authorization", "pin", "passkey"),
        how="The pairing is requested with an agent that notes what bluetoothd asks it.",
        experiment="bonding:pairing",
        stage=BIND,
        seconds=10,
        risk="The tag may forget its phone for good. Only with explicit consent; the bond stays.",
        needs="the tag has no bond with this computer, and the person consents to one",
    ),
    Question(
        "address",
        "Does the tag send its identity address, or a private one that changes?",
        ("identity", "private"),
        how="The two highest bits of a random address say whether it changes.",
        experiment="listen:address",
        stage=LISTEN,
        seconds=0,
        risk="None: the address is only read.",
        needs="the tag had no bond with this computer: bluetoothd replaces a private address after that",
    ),
    Question(
        "latency",
        "How long does the tag take to respond?",
        ("0s", "30ms", "1500ms"),
        how="The time from a request for the battery level to its response, up to twenty times; the median.",
        experiment="use:latency",
        stage=USE,
        seconds=10,
        risk="None: the battery level is only read.",
        is_time=True,
    ),
    Question(
        "load-report",
        "Does the tag report a loaded module after or before its response?",
        ("after", "before"),
        how="The order of the response and of the report when the motion module is loaded.",
        experiment="motion:load_report",
        stage=MOTION,
        seconds=5,
        risk="While the module is loaded, the battery drains quickly. It is unloaded again, unless it was loaded.",
        needs="the tag has the motion module",
    ),
    Question(
        "motion erase-response",
        "Does the tag respond to an erase request when it begins or when it has erased, and does it say which?",
        ("start", "end", "unstated"),
        how="A recording of this program is erased: the status in the response, and its order with the report of the end.",
        experiment="motion:recording",
        stage=MOTION,
        seconds=40,
        risk="A recording is made and erased. Others are not touched; the sensor's configuration is restored.",
        needs="the motion module, and a battery level of 50 % or more, below which tags do not record",
    ),
    Question(
        "motion erase-time",
        "How long does the tag erase?",
        ("500ms", "15s"),
        how="The time until the tag reports the end.",
        experiment="motion:recording",
        stage=MOTION,
        needs="as for the response",
        risk="As for the response.",
        is_time=True,
    ),
    Question(
        "packet-numbers",
        "Do the raw data packets of a download continue the numbers of the last one?",
        ("continue", "restart"),
        how="The recording is downloaded twice; the first number of the second download.",
        experiment="motion:recording",
        stage=MOTION,
        needs="as for the response",
        risk="None: a download changes nothing on the tag.",
    ),
    Question(
        "greeting",
        "When does the tag report battery and gear, and once for each link or each time?",
        ("subscribed", "begun", "configured", "subscribed once", "begun once", "configured once"),
        how="A link is set up by hand, with a pause after each step; each step is repeated. An ordinary link confirms it.",
        experiment="by_hand:greeting",
        stage=LISTEN,
        seconds=40,
        risk="None: only what each program sends when it connects.",
        needs="the tag accepts hello and begin again on the same link, to tell once from each time",
    ),
    Question(
        "second-hello",
        "Does the tag accept hello and begin again on the same link?",
        ("accepted", "refused"),
        how="They are sent again, and after that a request for the battery level.",
        experiment="by_hand:greeting",
        stage=LISTEN,
        risk="None: only what each program sends when it connects.",
    ),
    Question(
        "link-time",
        "Does the tag end links that its host keeps?",
        ("unlimited", "45s"),
        how="Nothing is sent for 60 seconds. If the link ends, once more: the time must be the same.",
        experiment="by_hand:link_time",
        stage=LISTEN,
        seconds=65,
        risk="None: nothing is sent.",
        is_time=True,
    ),
    Question(
        "fragment-counter",
        "Does the fragment counter wrap at 16 or at 64?",
        ("64", "16"),
        how="Only observed: the counters of packets of more than 16 fragments, if the tag sends one by itself.",
        experiment="listen:fragment_counter",
        stage=LISTEN,
        risk="None: nothing is sent for it.",
        needs="a packet of more than 16 fragments, which a tag sends only on a link with a small MTU",
    ),
    Question(
        "low-battery",
        "What does the tag refuse when its battery is low?",
        ("recording",),
        why_not="only if it happens to be so: no experiment starts below 20 %",
    ),
    Question(
        "bond",
        "Does the tag stay bonded with earlier hosts when another one bonds?",
        ("several", "one"),
        why_not="not without a second host, whose bond may be lost for good",
    ),
    Question(
        "image-removal",
        "When does the tag forget a stored firmware image?",
        ("restart", "execute"),
        why_not="not without executing an update",
    ),
    Question(
        "flashing",
        "How does the tag respond to a firmware status request between execute and the restart?",
        ("busy", "responds"),
        why_not="not without executing an update",
    ),
    Question(
        "flash-time",
        "When does the tag restart after execute?",
        ("2s", "20ms", "3s"),
        why_not="not without executing an update",
        is_time=True,
    ),
)
BY_NAME = {question.name: question for question in QUESTIONS}


def of_stage(stage: str) -> list[str]:
    """The experiments of a stage, each once."""
    return list(dict.fromkeys(question.experiment for question in QUESTIONS if question.stage == stage))


def decided_by(experiment: str) -> list[Question]:
    return [question for question in QUESTIONS if question.experiment == experiment]
