"""Two managers are two programs to bluetoothd: what one has connected to, the other finds in its scan."""

from jacquard.blocking import Manager

with Manager() as first, Manager() as second:
    print("looking", flush=True)
    found = first.find(timeout=30)
    print("first", found.serial, "connected", found.connected)
    with first.connect(found) as connection:
        connection.tag()
        found = second.find(timeout=30)
        print("second", found.serial, "connected", found.connected)
