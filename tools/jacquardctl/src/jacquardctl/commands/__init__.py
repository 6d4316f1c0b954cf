"""The commands, in the order of the help."""

from . import battery, board, bonds, config, doctor, haptic, info, led, module, record, rename, replay, scan, touch
from . import watch

ALL = (scan, bonds, info, watch, board, battery, led, haptic, touch, config, rename, module, doctor, record, replay)
