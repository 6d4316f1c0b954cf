# Completion of jacquard-mqtt for bash. Written by tools/documents; do not edit.
_jacquard_mqtt() {
  local current=${COMP_WORDS[COMP_CWORD]} path=jacquard-mqtt option= word= words= count=0 values=0 kind= index
  for ((index = 1; index < COMP_CWORD; index++)); do
    word=${COMP_WORDS[index]}
    # The last value of an option may have been omitted.
    if ((values)) && [[ $word != --* ]]; then
      ((values--))
      continue
    fi
    values=0
    case "$path $word" in
      "jacquard-mqtt --config") values=1 option="$path $word" ;;
      *" -"*) ;;
      *) ((count++)) ;;
    esac
  done
  if ((values)) && [[ $current != --* ]]; then
    case "$option $values" in
      "jacquard-mqtt --config 1") kind=files ;;
    esac
  elif [[ $current == -* ]]; then
    case $path in
      "jacquard-mqtt") words="-h --help --version --config --check --remove --debug" ;;
    esac
  else
    case "$path $count" in
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
  if [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *= ]]; then compopt -o nospace 2>/dev/null; fi
}
complete -F _jacquard_mqtt jacquard-mqtt
