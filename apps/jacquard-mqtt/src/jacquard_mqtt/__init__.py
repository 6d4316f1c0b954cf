"""Tags on an MQTT broker and in Home Assistant."""
