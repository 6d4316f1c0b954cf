"""Home Assistant with the MQTT integration and nothing else: start_home_assistant.py DIRECTORY BROKER_PORT HTTP_PORT

`hass` itself would start its default integrations, which need the web frontend and dozens of packages. Writes
DIRECTORY/token, an access token, when it has started. Runs with the Python of Home Assistant's environment."""

import json
import pathlib
import sys
from typing import Any

directory, broker, http = pathlib.Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
(directory / ".storage").mkdir(parents=True, exist_ok=True)
(directory / "configuration.yaml").write_text(
    f"""\
homeassistant:
  name: Test
  unit_system: metric
  time_zone: UTC
http:
  server_host: 127.0.0.1
  server_port: {http}
api:
config:
websocket_api:
device_automation:
automation: !include automations.yaml
input_boolean:
  fired:
logger:
  default: warning
"""
)
if not (directory / "automations.yaml").exists():
    (directory / "automations.yaml").write_text("[]\n")
entry = {
    "entry_id": "0123456789abcdef0123456789abcdef",
    "version": 1,
    "minor_version": 1,
    "domain": "mqtt",
    "title": "broker",
    "data": {"broker": "127.0.0.1", "port": broker, "discovery": True, "discovery_prefix": "homeassistant"},
    "options": {},
    "pref_disable_new_entities": False,
    "pref_disable_polling": False,
    "source": "user",
    "unique_id": None,
    "disabled_by": None,
}
entries = {"version": 1, "minor_version": 1, "key": "core.config_entries", "data": {"entries": [entry]}}
(directory / ".storage/core.config_entries").write_text(json.dumps(entries))

from homeassistant import bootstrap  # noqa: E402

for name in ("DEFAULT_INTEGRATIONS", "DEFAULT_INTEGRATIONS_RECOVERY_MODE", "CRITICAL_INTEGRATIONS"):
    setattr(bootstrap, name, set())
from_configuration = bootstrap.async_from_config_dict


async def with_token(config: Any, hass: Any) -> Any:
    made = await from_configuration(config, hass)
    if made is not None:
        user = await hass.auth.async_create_system_user("test", group_ids=["system-admin"])
        token = hass.auth.async_create_access_token(await hass.auth.async_create_refresh_token(user))
        await hass.async_add_executor_job((directory / "token").write_text, token)
    return made


bootstrap.async_from_config_dict = with_token

from homeassistant.__main__ import main  # noqa: E402

sys.argv = ["hass", "-c", str(directory), "--skip-pip"]
sys.exit(main())
