"""Why Bluetooth can or cannot be used here, in plain words."""
