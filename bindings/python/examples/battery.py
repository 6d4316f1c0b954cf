"""Prints the battery of a tag, in plain blocking code: battery.py [SERIAL]"""

import sys

import jacquard
from jacquard.blocking import Manager

serial = sys.argv[1] if len(sys.argv) > 1 else None  # None: the first tag found
try:
    with Manager() as manager, manager.connect(manager.find(serial=serial, timeout=30)) as connection:
        print(connection.tag().battery())
except jacquard.JacquardError as error:
    sys.exit(f"{error.message} {error.advice}")
