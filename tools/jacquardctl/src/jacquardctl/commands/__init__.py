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
    run,
    scan,
    touch,
    watch,
)

ALL = (
    *(scan, bonds, info, watch, run, board, battery, led, haptic, touch, config, rename, disconnect),
    *(module, firmware, motion, doctor, record, replay),
)
