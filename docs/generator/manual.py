"""docs/man/libjacquard.3: the library on a page for `man`, with a line for each function."""

from __future__ import annotations

import re

from header.comments import Header, Item

HEAD = r""".\" Written from include/jacquard.h by `make reference`; change it there, or in docs/generator.
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
gives one descriptor to poll, and
.BR jacquard_manager_dispatch ()
does what there is to do, or
.BR jacquard_manager_start ()
lets the library do so in a thread of its own. A
.I scan
finds tags. A
.I connection
is the wish to stay connected to one of them: it comes back by itself after a lost link. While it is connected there is a
.IR tag ,
another one for each link, that takes commands. What the tag reports comes to callbacks that are registered with the
connection, and that outlive its links.
.PP
Nothing blocks: functions return at once, and callbacks tell the rest. They run where the loop runs, one at a time.
"""
CONVENTIONS = ".SH CONVENTIONS\n"
TAIL = r""".SH ENVIRONMENT
.TP
.B DBUS_SYSTEM_BUS_ADDRESS
The bus to connect to, unless the program names one.
.SH EXAMPLES
Programs are in
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
    # A line that starts like a request, or is longer than some readers like.
    words, line, lines = text.split(), "", []
    for word in words:
        if line and len(line) + 1 + len(word) > 110:
            lines.append(line)
            line = ""
        line = f"{line} {word}" if line else word
    lines.append(line)
    return "\n".join("\\&" + line if line[:1] in (".", "'") else line for line in lines)
