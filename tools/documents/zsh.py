"""Completion for zsh."""

from __future__ import annotations

from command import Command, Operand, Option, Words


def script(root: Command) -> str:
    functions = "\n\n".join(function(path, command) for path, command in root.walk())
    note = f"# Completion of {root.name} for zsh. Written by tools/documents; do not edit."
    return f'#compdef {root.name}\n{note}\n\n{functions}\n\n{name_of((root.name,))} "$@"\n'


def name_of(path: tuple[str, ...]) -> str:
    return "_" + "_".join(path).replace("-", "_")


def function(path: tuple[str, ...], command: Command) -> str:
    specifications = [specification for option in command.options for specification in of_option(option)]
    if not command.children:
        specifications += [of_operand(number, operand) for number, operand in enumerate(command.operands, 1)]
        return f"{name_of(path)}() {{\n  _arguments {joined(specifications)}\n}}"
    commands = " ".join(quoted(f"{child.name}:{child.help}") for child in command.children)
    cases = "".join(f"    {child.name}) {name_of((*path, child.name))} ;;\n" for child in command.children)
    specifications += [quoted("1:command:->command"), quoted("*::argument:->argument")]
    return (
        f"{name_of(path)}() {{\n"
        f"  local curcontext=$curcontext state line\n  typeset -A opt_args\n"
        f"  _arguments -C {joined(specifications)}\n"
        f"  case $state in\n"
        f"  command)\n    local -a commands=({commands})\n    _describe command commands\n    ;;\n"
        f"  argument)\n    case $words[1] in\n{cases}    esac\n    ;;\n  esac\n}}"
    )


def joined(specifications: list[str]) -> str:
    return " \\\n    ".join(["-s", *specifications])


def of_option(option: Option) -> list[str]:
    values = "".join(value_of(value, words) for value, words in zip(option.values, option.words))
    others = f"({' '.join(option.names)})" if len(option.names) > 1 else ""
    if option.many:
        others = "*"
    return [quoted(f"{others}{name}[{brackets(option.help)}]{values}") for name in option.names]


def value_of(name: str, words: Words) -> str:
    """Two colons precede a value that may be omitted."""
    return f"{'::' if name.startswith('[') else ':'}{colons(name.strip('[]'))}:{action(words)}"


def of_operand(number: int, operand: Operand) -> str:
    place = "*" if operand.many else str(number)
    return quoted(f"{place}:{colons(operand.name)}:{action(operand.words)}")


def action(words: Words) -> str:
    if words.known:
        return f"({' '.join(words.known)})"
    if words.printed_by:
        return '{compadd -- ${(f)"$(' + words.printed_by + ')"}}'
    return "_files" if words.files else "_command_names -e" if words.programs else " "


def colons(text: str) -> str:
    return text.replace(":", "\\:")


def brackets(text: str) -> str:
    return text.replace("[", "\\[").replace("]", "\\]")


def quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"
