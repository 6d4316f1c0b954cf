"""Prints the battery of a tag, in plain blocking code: battery.py SERIAL"""

import sys

import jacquard
from jacquard.blocking import Manager

try:
    with Manager() as manager, manager.connect(serial=sys.argv[1]) as connection:
        print(connection.tag().battery())
except jacquard.JacquardError as error:
    sys.exit(f"{error.message} {error.advice}")
