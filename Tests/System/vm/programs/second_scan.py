"""bluetoothd treats two managers as two programs: a tag connected by one is found by the other one's scan."""

from jacquard.blocking import Manager

with Manager() as first, Manager() as second:
    print("looking", flush=True)
    found = first.find(timeout=30)
    print("first", found.serial, "connected", found.connected)
    with first.connect(found) as connection:
        connection.tag()
        found = second.find(timeout=30)
        print("second", found.serial, "connected", found.connected)
