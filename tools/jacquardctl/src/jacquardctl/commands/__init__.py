"""The commands, in the order of the help."""

from . import (
    battery,
    board,
    bonds,
    config,
    disconnect,
    doctor,
    firmware,
    haptic,
    info,
    led,
    module,
    motion,
    record,
    rename,
    replay,
    scan,
    touch,
    watch,
)

ALL = (
    *(scan, bonds, info, watch, board, battery, led, haptic, touch, config, rename, disconnect),
    *(module, firmware, motion, doctor, record, replay),
)
