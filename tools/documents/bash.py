"""Completion for bash; it does not need the package bash-completion."""

from __future__ import annotations

from command import Command, Words

HEAD = """\
# Completion of {name} for bash. Written by tools/documents; do not edit.
_{function}() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} path={name} option= word= words= count=0 values=0 kind= index
  for ((index = 1; index < COMP_CWORD; index++)); do
    word=${{COMP_WORDS[index]}}
    # The last value of an option may have been omitted.
    if ((values)) && [[ $word != --* ]]; then
      ((values--))
      continue
    fi
    values=0
    case "$path $word" in
"""
MIDDLE = """\
      *" -"*) ;;
      *) ((count++)) ;;
    esac
  done
  if ((values)) && [[ $current != --* ]]; then
    case "$option $values" in
"""
OPTIONS = """\
    esac
  elif [[ $current == -* ]]; then
    case $path in
"""
OPERANDS = """\
    esac
  else
    case "$path $count" in
"""
TAIL = """\
    esac
  fi
  COMPREPLY=()
  case $kind in
    files) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$current") ;;
    programs) mapfile -t COMPREPLY < <(compgen -c -- "$current") ;;
    lines)
      # They may contain blanks, which Readline then quotes.
      compopt -o filenames 2>/dev/null
      while IFS= read -r word; do
        if [[ -n $word && $word == "$current"* ]]; then COMPREPLY+=("$word"); fi
      done <<<"$words"
      ;;
    *) mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current") ;;
  esac
  if [[ ${{#COMPREPLY[@]}} == 1 && ${{COMPREPLY[0]}} == *= ]]; then compopt -o nospace 2>/dev/null; fi
}}
complete -F _{function} {name}
"""


def script(root: Command) -> str:
    names = {"name": root.name, "function": root.name.replace("-", "_")}
    text = HEAD.format(**names)
    places = list(root.walk())
    for path, command in places:
        for child in command.children:
            text += case(" ".join((*path, child.name)), f'path+=" {child.name}" count=0')
        for option in command.options:
            for name in option.names if option.values else ():
                text += case(" ".join((*path, name)), f'values={len(option.values)} option="$path $word"')
    text += MIDDLE
    for path, command in places:
        for option in command.options:
            for left, words in zip(range(len(option.words), 0, -1), option.words):
                for name in option.names:
                    text += suggestion(f"{' '.join((*path, name))} {left}", words)
    text += OPTIONS
    for path, command in places:
        text += case(" ".join(path), f'words="{" ".join(name for option in command.options for name in option.names)}"')
    text += OPERANDS
    for path, command in places:
        if command.children:
            text += case(" ".join((*path, "0")), f'words="{" ".join(child.name for child in command.children)}"')
        for number, operand in enumerate(command.operands):
            text += suggestion(" ".join((*path, str(number))), operand.words, operand.many)
    return text + TAIL.format(**names)


def case(pattern: str, action: str) -> str:
    return f'      "{pattern}") {action} ;;\n'


def suggestion(pattern: str, words: Words, many: bool = False) -> str:
    if words.known:
        action = f'words="{" ".join(words.known)}"'
    elif words.printed_by:
        action = f"kind=lines words=$({words.printed_by})"
    elif words.files or words.programs:
        action = f"kind={'files' if words.files else 'programs'}"
    else:
        return ""
    # Matches this number or a greater one.
    return f'      "{pattern[:-1]}"[{pattern[-1]}-9]*) {action} ;;\n' if many else case(pattern, action)
