"""The commands, in the order of the help."""

from . import battery, board, bonds, config, doctor, haptic, info, led, module, motion, record, rename, replay, scan
from . import touch, watch

ALL = (scan, bonds, info, watch, board, battery, led, haptic, touch, config, rename, module, motion, doctor, record, replay)
