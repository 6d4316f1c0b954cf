"""Two managers of one process and the tag 01ZK: managers.py ADAPTER after|at-once

The first connects, and ends its connection; the second connects once that is over, or at once. The first stays open, and
the second says what it hears, until it hears the gesture 99.
"""

import sys

import jacquard
from jacquard.blocking import Manager

with Manager(adapter=sys.argv[1]) as first, Manager(adapter=sys.argv[1]) as second:
    print("looking", flush=True)
    found = first.find(serial="01ZK", timeout=60)
    connection = first.connect(found)
    with connection:
        print("first", connection.tag(timeout=60).battery(), flush=True)
        if sys.argv[2] == "after":
            connection.disconnect()
    with second.connect(found.identifier) as connection:
        with connection.events(jacquard.Gesture) as events:
            print("second", connection.tag(timeout=60).battery(), flush=True)
            for gesture in events:
                print("gesture", gesture.number, flush=True)
                if gesture.number == 99:
                    break
