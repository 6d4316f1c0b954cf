#!/usr/bin/env python3
"""Writes a recording of a tag to standard output: fetch-recording.py TAG NAME [HOST [PORT]]

Requires paho-mqtt (Debian: python3-paho-mqtt).
"""

import base64
import hashlib
import json
import queue
import sys
import time
import uuid
from typing import Any

import paho.mqtt.client as paho

# Seconds without a message, including the time to wait for a tag that is away.
LONGEST_SILENCE = 120


def main(tag: str, name: str, host: str = "localhost", port: str = "1883") -> str | int:
    topic = f"jacquard/v1/tags/{tag}"
    identity, received = uuid.uuid4().hex, bytearray()
    messages: queue.Queue[dict[str, Any]] = queue.Queue()
    # Version 2 of paho-mqtt requires the version of the callbacks.
    version = (paho.CallbackAPIVersion.VERSION2,) if hasattr(paho, "CallbackAPIVersion") else ()
    client = paho.Client(*version, client_id=identity)
    client.on_connect = lambda *_: client.subscribe([(f"{topic}/recording", 1), (f"{topic}/response/download", 1)])
    # Also runs after a reconnection to the broker, because parts may have been lost.
    client.on_subscribe = lambda *_: request(client, topic, identity, name, len(received))
    client.on_message = lambda client, data, message: messages.put(json.loads(message.payload))
    client.connect(host, int(port))
    client.loop_start()
    heard = time.monotonic()
    while True:
        try:
            message = messages.get(timeout=max(0, heard + LONGEST_SILENCE - time.monotonic()))
        except queue.Empty:
            return "No response. Is the bridge running?"
        if message.get("id") != identity:
            continue
        heard = time.monotonic()
        if "offset" in message:
            if message["offset"] == len(received):
                received += base64.b64decode(message["data"])
        elif message["status"] == "error" and message["error"]["code"] == "busy":
            time.sleep(1)  # another recording is being downloaded, or an earlier request of this program continues
            request(client, topic, identity, name, len(received))
        elif message["status"] == "error":
            return str(message["error"]["message"])
        elif message["status"] == "ok" and len(received) < message["result"]["size"]:
            request(client, topic, identity, name, len(received))
        elif message["status"] == "ok":
            break
    client.loop_stop()
    if hashlib.sha256(received).hexdigest() != message["result"]["sha256"]:
        return "The recording is damaged."
    sys.stdout.buffer.write(received)
    return 0


def request(client: paho.Client, topic: str, identity: str, name: str, offset: int) -> None:
    body = {"id": identity, "name": name, "offset": offset, "schedule": LONGEST_SILENCE - 20}
    client.publish(f"{topic}/request/download", json.dumps(body), qos=1)


if __name__ == "__main__":
    if not 3 <= len(sys.argv) <= 5:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
