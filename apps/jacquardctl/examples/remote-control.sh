#!/bin/sh
# A sleeve controls the music player: remote-control.sh SERIAL
exec jacquardctl watch "$1" --on brush-in 'playerctl next' --on brush-out 'playerctl previous' \
  --on double-tap 'playerctl play-pause'
