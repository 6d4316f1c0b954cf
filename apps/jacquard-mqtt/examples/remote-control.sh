#!/bin/sh
# A sleeve controls the music player of this machine, over MQTT: remote-control.sh TAG
# -R ignores retained messages, because gestures are never retained; -q 1 repeats messages that were not received.
mosquitto_sub -R -q 1 -t "jacquard/v1/tags/$1/gesture" | while read -r gesture; do
  case $gesture in
  *'"gesture":"brush-in"'*) playerctl next ;;
  *'"gesture":"brush-out"'*) playerctl previous ;;
  *'"gesture":"double-tap"'*) playerctl play-pause ;;
  esac
done
