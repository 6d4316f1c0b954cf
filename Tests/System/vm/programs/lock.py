# lock.py IDENTIFIER: listens on the name that locks a tag against other users, without a link, until it is killed.
import socket
import subprocess
import sys

ask = ["busctl", "call", "org.freedesktop.DBus", "/", "org.freedesktop.DBus", "GetId"]
bus = subprocess.check_output(ask, text=True).split('"')[1]
with socket.socket(socket.AF_UNIX) as lock:
    lock.bind(f"\0jacquard/{bus}/{sys.argv[1]}"[:108])
    lock.listen()
    print("locked", flush=True)
    while True:
        lock.accept()
