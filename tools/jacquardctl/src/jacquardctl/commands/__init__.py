"""The commands, in the order of the help."""

from . import battery, bonds, config, doctor, haptic, info, led, module, record, rename, replay, scan, touch, watch

ALL = (scan, bonds, info, watch, battery, led, haptic, touch, config, rename, module, doctor, record, replay)
