"""receive_lsl.py NAME SECONDS: prints a stream of the Lab Streaming Layer, as JSON: its description, then samples with times."""

import json
import sys
import time

import pylsl

name, seconds = sys.argv[1], float(sys.argv[2])
(found,) = pylsl.resolve_byprop("name", name, timeout=60)
inlet = pylsl.StreamInlet(found)
info = inlet.info(timeout=10)
channel = info.desc().child("channels").child("channel")
labels = []
while not channel.empty():
    labels.append((channel.child_value("label"), channel.child_value("unit")))
    channel = channel.next_sibling()
print(json.dumps({"rate": info.nominal_srate(), "source": info.source_id(), "labels": labels}), flush=True)
end = time.monotonic() + seconds
while time.monotonic() < end:
    sample, taken = inlet.pull_sample(timeout=1)
    if sample is not None:
        print(json.dumps({"sample": sample, "taken": taken, "now": pylsl.local_clock()}), flush=True)
