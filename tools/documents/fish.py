"""Completion for fish."""

from __future__ import annotations

from command import Command, Option, Words


def script(root: Command) -> str:
    lines = [f"# Completion of {root.name} for fish. Written by tools/documents; do not edit."]
    lines.append(f"complete -c {root.name} -f")
    for path, command in root.walk():
        here = condition(path[1:], command)
        for child in command.children:
            lines.append(f"complete -c {root.name} -n {quoted(here)} -a {child.name} -d {quoted(child.help)}")
        for option in command.options:
            lines.append(f"complete -c {root.name} -n {quoted(here)} {of_option(option)}")
        for operand in command.operands:
            if operand.words != Words():
                lines.append(f"complete -c {root.name} -n {quoted(here)} {of_words(operand.words)}")
    return "\n".join(lines) + "\n"


def condition(path: tuple[str, ...], command: Command) -> str:
    """The cursor is after these words and not after one of the next ones."""
    seen = [f"__fish_seen_subcommand_from {word}" for word in path]
    if command.children:
        children = " ".join(child.name for child in command.children)
        seen.append(f"not __fish_seen_subcommand_from {children}")
    return "; and ".join(seen) or "true"


def of_option(option: Option) -> str:
    letters = [f"-s {name[1:]}" for name in option.names if not name.startswith("--")]
    words = [f"-l {name[2:]}" for name in option.names if name.startswith("--")]
    # -x would exclude files, which -F asks for.
    value = ["-r" if option.words[0].files else "-x", of_words(option.words[0])] if option.values else []
    return " ".join([*letters, *words, *(part for part in value if part), f"-d {quoted(option.help)}"])


def of_words(words: Words) -> str:
    if words.known:
        return f"-a {quoted(' '.join(words.known))}"
    if words.printed_by:
        return f"-a {quoted(f'({words.printed_by})')}"
    return "-F" if words.files else "-a '(__fish_complete_command)'" if words.programs else ""


def quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
