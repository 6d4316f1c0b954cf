# Completion of jacquard-mqtt for fish. Written by tools/documents; do not edit.
complete -c jacquard-mqtt -f
complete -c jacquard-mqtt -n 'true' -s h -l help -d 'show this help message and exit'
complete -c jacquard-mqtt -n 'true' -l version -d 'show program\'s version number and exit'
complete -c jacquard-mqtt -n 'true' -l config -r -F -d 'the configuration file (~/.config/jacquard-mqtt.toml, else /etc/jacquard-mqtt.toml, else the defaults)'
complete -c jacquard-mqtt -n 'true' -l check -d 'check the configuration file and exit'
complete -c jacquard-mqtt -n 'true' -l remove -d 'remove the topics of this bridge, and of tags of no other, from the broker and exit'
complete -c jacquard-mqtt -n 'true' -l debug -d 'write details to the log, including the library\'s'
