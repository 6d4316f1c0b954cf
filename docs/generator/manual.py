"""libjacquard.3: a manual page of the library, with a summary of each function."""

from __future__ import annotations

import re

from header.comments import Header, Item

HEAD = r""".\" Generated from include/jacquard.h by docs/generator; change it there.
.TH LIBJACQUARD 3 "" "libjacquard @VERSION@" "Library Functions Manual"
.nh
.ad l
.SH NAME
libjacquard \- find, connect to and use Jacquard tags
.SH SYNOPSIS
.nf
.B #include <jacquard.h>
.PP
.B cc program.c $(pkg\-config \-\-cflags \-\-libs jacquard)
.fi
.SH DESCRIPTION
The library finds Jacquard tags, small Bluetooth LE devices in garments and bags, connects to them and keeps them connected,
through BlueZ and D\-Bus.
.PP
A
.I manager
is one connection to the bus and one loop:
.BR jacquard_manager_get_fd ()
returns one descriptor to poll, and
.BR jacquard_manager_dispatch ()
runs the work that is ready;
.BR jacquard_manager_start ()
runs the loop on a thread of the library. A
.I scan
finds tags. A
.I connection
is a request to stay connected to one of them; it reconnects after a lost link. While it is connected it has a
.IR tag ,
a new one for each link, which accepts commands. Events of the tag are delivered to callbacks that are registered with the
connection and survive a lost link.
.PP
Functions do not block; results are delivered to callbacks. Callbacks run one at a time, on the thread that runs the loop.
"""
CONVENTIONS = ".SH CONVENTIONS\n"
TAIL = r""".SH ENVIRONMENT
.TP
.B DBUS_SYSTEM_BUS_ADDRESS
The bus to connect to, unless the program specifies one.
.SH EXAMPLES
Example programs are in
.IR /usr/share/doc/libjacquard\-dev/examples .
.SH SEE ALSO
.BR jacquardctl (1),
.BR jacquard\-sim (1),
.BR bluetoothd (8)
.PP
The header describes each function in full.
"""


def manual(header: Header, version: str) -> str:
    parts = [HEAD.replace("@VERSION@", version), CONVENTIONS]
    for name, text in header.conventions:
        parts.append(f".TP\n.B {name}\n{roff(text)}\n")
    parts.append(".SH FUNCTIONS\n")
    for section in header.sections:
        functions = [item for item in section.items if item.kind == "function"]
        if functions:
            parts.append(f".SS {roff(section.title)}\n")
            parts += [f".B #include <{section.file}>\n.PP\n{roff(' '.join(section.text))}\n" for _ in section.text[:1]]
            parts += [f".TP\n.BR {item.name} ()\n{roff(first_sentence(item))}\n" for item in functions]
    parts.append(errors(header) + TAIL)
    return "".join(parts)


def first_sentence(item: Item) -> str:
    return re.split(r"(?<=[.:]) (?=[A-Z])|(?<=\.)$", item.text[0])[0]


def errors(header: Header) -> str:
    statuses = next(item for item in header.items if item.name == "jacquard_status")
    failures = [status for status in statuses.members if status.declaration != "0"]
    lines = [f".TP\n.B {status.name}\n{roff(status.text)}\n" for status in failures]
    return ".SH ERRORS\n" + "".join(lines)


def roff(text: str) -> str:
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("`", "")
    # Escapes lines that start like a roff request, and wraps long lines.
    words, line, lines = text.split(), "", []
    for word in words:
        if line and len(line) + 1 + len(word) > 110:
            lines.append(line)
            line = ""
        line = f"{line} {word}" if line else word
    lines.append(line)
    return "\n".join("\\&" + line if line[:1] in (".", "'") else line for line in lines)
