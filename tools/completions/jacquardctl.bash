# Completion of jacquardctl for bash. Written by tools/documents; do not edit.
_jacquardctl() {
  local current=${COMP_WORDS[COMP_CWORD]} path=jacquardctl option= word= words= count=0 values=0 kind= index
  for ((index = 1; index < COMP_CWORD; index++)); do
    word=${COMP_WORDS[index]}
    # The last value of an option may have been omitted.
    if ((values)) && [[ $word != --* ]]; then
      ((values--))
      continue
    fi
    values=0
    case "$path $word" in
      "jacquardctl scan") path+=" scan" count=0 ;;
      "jacquardctl list") path+=" list" count=0 ;;
      "jacquardctl bind") path+=" bind" count=0 ;;
      "jacquardctl unbind") path+=" unbind" count=0 ;;
      "jacquardctl info") path+=" info" count=0 ;;
      "jacquardctl watch") path+=" watch" count=0 ;;
      "jacquardctl run") path+=" run" count=0 ;;
      "jacquardctl board") path+=" board" count=0 ;;
      "jacquardctl battery") path+=" battery" count=0 ;;
      "jacquardctl led") path+=" led" count=0 ;;
      "jacquardctl haptic") path+=" haptic" count=0 ;;
      "jacquardctl touch") path+=" touch" count=0 ;;
      "jacquardctl config") path+=" config" count=0 ;;
      "jacquardctl rename") path+=" rename" count=0 ;;
      "jacquardctl disconnect") path+=" disconnect" count=0 ;;
      "jacquardctl module") path+=" module" count=0 ;;
      "jacquardctl firmware") path+=" firmware" count=0 ;;
      "jacquardctl motion") path+=" motion" count=0 ;;
      "jacquardctl doctor") path+=" doctor" count=0 ;;
      "jacquardctl record") path+=" record" count=0 ;;
      "jacquardctl replay") path+=" replay" count=0 ;;
      "jacquardctl scan --adapter") values=1 option="$path $word" ;;
      "jacquardctl scan --timeout") values=1 option="$path $word" ;;
      "jacquardctl scan --serial") values=1 option="$path $word" ;;
      "jacquardctl list --adapter") values=1 option="$path $word" ;;
      "jacquardctl bind --adapter") values=1 option="$path $word" ;;
      "jacquardctl bind --timeout") values=1 option="$path $word" ;;
      "jacquardctl bind --code") values=1 option="$path $word" ;;
      "jacquardctl bind --owner") values=1 option="$path $word" ;;
      "jacquardctl bind --profile") values=1 option="$path $word" ;;
      "jacquardctl unbind --adapter") values=1 option="$path $word" ;;
      "jacquardctl info --adapter") values=1 option="$path $word" ;;
      "jacquardctl info --timeout") values=1 option="$path $word" ;;
      "jacquardctl watch --adapter") values=1 option="$path $word" ;;
      "jacquardctl watch --timeout") values=1 option="$path $word" ;;
      "jacquardctl watch --on") values=2 option="$path $word" ;;
      "jacquardctl watch --led") values=1 option="$path $word" ;;
      "jacquardctl watch --haptic") values=1 option="$path $word" ;;
      "jacquardctl watch --do") values=1 option="$path $word" ;;
      "jacquardctl watch --for") values=1 option="$path $word" ;;
      "jacquardctl run --adapter") values=1 option="$path $word" ;;
      "jacquardctl run --example") values=1 option="$path $word" ;;
      "jacquardctl run --add") values=1 option="$path $word" ;;
      "jacquardctl run --do") values=1 option="$path $word" ;;
      "jacquardctl run --remove") values=1 option="$path $word" ;;
      "jacquardctl board --adapter") values=1 option="$path $word" ;;
      "jacquardctl board --listen") values=1 option="$path $word" ;;
      "jacquardctl board --port") values=1 option="$path $word" ;;
      "jacquardctl battery --adapter") values=1 option="$path $word" ;;
      "jacquardctl battery --timeout") values=1 option="$path $word" ;;
      "jacquardctl led --adapter") values=1 option="$path $word" ;;
      "jacquardctl led --timeout") values=1 option="$path $word" ;;
      "jacquardctl led --pattern") values=1 option="$path $word" ;;
      "jacquardctl led --duration") values=1 option="$path $word" ;;
      "jacquardctl led --intensity") values=1 option="$path $word" ;;
      "jacquardctl haptic --adapter") values=1 option="$path $word" ;;
      "jacquardctl haptic --timeout") values=1 option="$path $word" ;;
      "jacquardctl haptic --on") values=1 option="$path $word" ;;
      "jacquardctl haptic --off") values=1 option="$path $word" ;;
      "jacquardctl haptic --repeats") values=1 option="$path $word" ;;
      "jacquardctl haptic --amplitude") values=1 option="$path $word" ;;
      "jacquardctl haptic --wave") values=1 option="$path $word" ;;
      "jacquardctl touch --adapter") values=1 option="$path $word" ;;
      "jacquardctl touch --timeout") values=1 option="$path $word" ;;
      "jacquardctl touch --for") values=1 option="$path $word" ;;
      "jacquardctl config get") path+=" get" count=0 ;;
      "jacquardctl config set") path+=" set" count=0 ;;
      "jacquardctl config read") path+=" read" count=0 ;;
      "jacquardctl config write") path+=" write" count=0 ;;
      "jacquardctl config get --adapter") values=1 option="$path $word" ;;
      "jacquardctl config get --timeout") values=1 option="$path $word" ;;
      "jacquardctl config get --vendor-id") values=1 option="$path $word" ;;
      "jacquardctl config get --product-id") values=1 option="$path $word" ;;
      "jacquardctl config set --adapter") values=1 option="$path $word" ;;
      "jacquardctl config set --timeout") values=1 option="$path $word" ;;
      "jacquardctl config set --type") values=1 option="$path $word" ;;
      "jacquardctl config set --vendor-id") values=1 option="$path $word" ;;
      "jacquardctl config set --product-id") values=1 option="$path $word" ;;
      "jacquardctl config read --adapter") values=1 option="$path $word" ;;
      "jacquardctl config read --timeout") values=1 option="$path $word" ;;
      "jacquardctl config write --adapter") values=1 option="$path $word" ;;
      "jacquardctl config write --timeout") values=1 option="$path $word" ;;
      "jacquardctl rename --adapter") values=1 option="$path $word" ;;
      "jacquardctl rename --timeout") values=1 option="$path $word" ;;
      "jacquardctl disconnect --adapter") values=1 option="$path $word" ;;
      "jacquardctl disconnect --timeout") values=1 option="$path $word" ;;
      "jacquardctl module list") path+=" list" count=0 ;;
      "jacquardctl module load") path+=" load" count=0 ;;
      "jacquardctl module unload") path+=" unload" count=0 ;;
      "jacquardctl module delete") path+=" delete" count=0 ;;
      "jacquardctl module install") path+=" install" count=0 ;;
      "jacquardctl module list --adapter") values=1 option="$path $word" ;;
      "jacquardctl module list --timeout") values=1 option="$path $word" ;;
      "jacquardctl module load --adapter") values=1 option="$path $word" ;;
      "jacquardctl module load --timeout") values=1 option="$path $word" ;;
      "jacquardctl module unload --adapter") values=1 option="$path $word" ;;
      "jacquardctl module unload --timeout") values=1 option="$path $word" ;;
      "jacquardctl module delete --adapter") values=1 option="$path $word" ;;
      "jacquardctl module delete --timeout") values=1 option="$path $word" ;;
      "jacquardctl module install --adapter") values=1 option="$path $word" ;;
      "jacquardctl module install --timeout") values=1 option="$path $word" ;;
      "jacquardctl module install --least-battery") values=1 option="$path $word" ;;
      "jacquardctl firmware info") path+=" info" count=0 ;;
      "jacquardctl firmware check") path+=" check" count=0 ;;
      "jacquardctl firmware install") path+=" install" count=0 ;;
      "jacquardctl firmware status") path+=" status" count=0 ;;
      "jacquardctl firmware cancel") path+=" cancel" count=0 ;;
      "jacquardctl firmware manifest") path+=" manifest" count=0 ;;
      "jacquardctl firmware info --adapter") values=1 option="$path $word" ;;
      "jacquardctl firmware check --adapter") values=1 option="$path $word" ;;
      "jacquardctl firmware check --timeout") values=1 option="$path $word" ;;
      "jacquardctl firmware check --least-battery") values=1 option="$path $word" ;;
      "jacquardctl firmware install --adapter") values=1 option="$path $word" ;;
      "jacquardctl firmware install --timeout") values=1 option="$path $word" ;;
      "jacquardctl firmware install --least-battery") values=1 option="$path $word" ;;
      "jacquardctl firmware status --adapter") values=1 option="$path $word" ;;
      "jacquardctl firmware cancel --adapter") values=1 option="$path $word" ;;
      "jacquardctl firmware manifest --adapter") values=1 option="$path $word" ;;
      "jacquardctl firmware manifest --vendor") values=1 option="$path $word" ;;
      "jacquardctl firmware manifest --product") values=1 option="$path $word" ;;
      "jacquardctl firmware manifest --module") values=1 option="$path $word" ;;
      "jacquardctl firmware manifest --version") values=1 option="$path $word" ;;
      "jacquardctl motion record") path+=" record" count=0 ;;
      "jacquardctl motion stop") path+=" stop" count=0 ;;
      "jacquardctl motion status") path+=" status" count=0 ;;
      "jacquardctl motion sessions") path+=" sessions" count=0 ;;
      "jacquardctl motion download") path+=" download" count=0 ;;
      "jacquardctl motion erase") path+=" erase" count=0 ;;
      "jacquardctl motion stream") path+=" stream" count=0 ;;
      "jacquardctl motion show") path+=" show" count=0 ;;
      "jacquardctl motion convert") path+=" convert" count=0 ;;
      "jacquardctl motion record --adapter") values=1 option="$path $word" ;;
      "jacquardctl motion record --timeout") values=1 option="$path $word" ;;
      "jacquardctl motion record --rate") values=1 option="$path $word" ;;
      "jacquardctl motion record --gyroscope-rate") values=1 option="$path $word" ;;
      "jacquardctl motion record --range") values=1 option="$path $word" ;;
      "jacquardctl motion record --gyroscope-range") values=1 option="$path $word" ;;
      "jacquardctl motion record --name") values=1 option="$path $word" ;;
      "jacquardctl motion stop --adapter") values=1 option="$path $word" ;;
      "jacquardctl motion stop --timeout") values=1 option="$path $word" ;;
      "jacquardctl motion status --adapter") values=1 option="$path $word" ;;
      "jacquardctl motion status --timeout") values=1 option="$path $word" ;;
      "jacquardctl motion sessions --adapter") values=1 option="$path $word" ;;
      "jacquardctl motion sessions --timeout") values=1 option="$path $word" ;;
      "jacquardctl motion download --adapter") values=1 option="$path $word" ;;
      "jacquardctl motion download --timeout") values=1 option="$path $word" ;;
      "jacquardctl motion download --directory") values=1 option="$path $word" ;;
      "jacquardctl motion erase --adapter") values=1 option="$path $word" ;;
      "jacquardctl motion erase --timeout") values=1 option="$path $word" ;;
      "jacquardctl motion stream --adapter") values=1 option="$path $word" ;;
      "jacquardctl motion stream --timeout") values=1 option="$path $word" ;;
      "jacquardctl motion stream --rate") values=1 option="$path $word" ;;
      "jacquardctl motion stream --gyroscope-rate") values=1 option="$path $word" ;;
      "jacquardctl motion stream --range") values=1 option="$path $word" ;;
      "jacquardctl motion stream --gyroscope-range") values=1 option="$path $word" ;;
      "jacquardctl motion stream --output") values=1 option="$path $word" ;;
      "jacquardctl motion stream --lsl") values=1 option="$path $word" ;;
      "jacquardctl motion stream --for") values=1 option="$path $word" ;;
      "jacquardctl motion show --adapter") values=1 option="$path $word" ;;
      "jacquardctl motion convert --adapter") values=1 option="$path $word" ;;
      "jacquardctl doctor --adapter") values=1 option="$path $word" ;;
      "jacquardctl doctor --timeout") values=1 option="$path $word" ;;
      "jacquardctl record --adapter") values=1 option="$path $word" ;;
      "jacquardctl record --timeout") values=1 option="$path $word" ;;
      "jacquardctl record --for") values=1 option="$path $word" ;;
      "jacquardctl replay --adapter") values=1 option="$path $word" ;;
      "jacquardctl replay --speed") values=1 option="$path $word" ;;
      *" -"*) ;;
      *) ((count++)) ;;
    esac
  done
  if ((values)) && [[ $current != --* ]]; then
    case "$option $values" in
      "jacquardctl watch --on 2") words="none double-tap brush-in brush-out pulse-check pulse-tap long-cover cover genie pinch-in pinch-out triple-tap brush-up brush-down any" ;;
      "jacquardctl watch --on 1") kind=programs ;;
      "jacquardctl watch --led 1") words="black blue cyan green magenta orange pink purple red teal white yellow off" ;;
      "jacquardctl watch --haptic 1") words="insert gesture notification error alert off" ;;
      "jacquardctl run --example 1") words="media slides calls lights" ;;
      "jacquardctl led --pattern 1") words="solid breathe pulse blink double-blink triple-blink frames" ;;
      "jacquardctl haptic --wave 1") words="sine-up sine-down linear-up linear-down parabolic-up parabolic-down constant" ;;
      "jacquardctl config set --type 1") words="bool uint32 uint64 int32 int64 float double string" ;;
      "jacquardctl motion stream --output 1") kind=files ;;
    esac
  elif [[ $current == -* ]]; then
    case $path in
      "jacquardctl") words="-h --help --version" ;;
      "jacquardctl scan") words="-h --help --json --adapter --debug --timeout --serial" ;;
      "jacquardctl list") words="-h --help --json --adapter --debug" ;;
      "jacquardctl bind") words="-h --help --json --adapter --debug --timeout --code --owner --profile" ;;
      "jacquardctl unbind") words="-h --help --json --adapter --debug" ;;
      "jacquardctl info") words="-h --help --json --adapter --debug --timeout" ;;
      "jacquardctl watch") words="-h --help --json --adapter --debug --timeout --on --led --haptic --do --all --for" ;;
      "jacquardctl run") words="-h --help --json --adapter --debug --check --dry-run --example --enable --disable --once --add --do --remove" ;;
      "jacquardctl board") words="-h --help --json --adapter --debug --simulate --listen --port --no-browser" ;;
      "jacquardctl battery") words="-h --help --json --adapter --debug --timeout" ;;
      "jacquardctl led") words="-h --help --json --adapter --debug --timeout --pattern --duration --intensity --toggle --resumable --gear --all" ;;
      "jacquardctl haptic") words="-h --help --json --adapter --debug --timeout --on --off --repeats --amplitude --wave --all" ;;
      "jacquardctl touch") words="-h --help --json --adapter --debug --timeout --tracked --for" ;;
      "jacquardctl config") words="-h --help" ;;
      "jacquardctl config get") words="-h --help --json --adapter --debug --timeout --vendor-id --product-id" ;;
      "jacquardctl config set") words="-h --help --json --adapter --debug --timeout --type --vendor-id --product-id" ;;
      "jacquardctl config read") words="-h --help --json --adapter --debug --timeout" ;;
      "jacquardctl config write") words="-h --help --json --adapter --debug --timeout" ;;
      "jacquardctl rename") words="-h --help --json --adapter --debug --timeout" ;;
      "jacquardctl disconnect") words="-h --help --json --adapter --debug --timeout --only-on-motion --all" ;;
      "jacquardctl module") words="-h --help" ;;
      "jacquardctl module list") words="-h --help --json --adapter --debug --timeout" ;;
      "jacquardctl module load") words="-h --help --json --adapter --debug --timeout" ;;
      "jacquardctl module unload") words="-h --help --json --adapter --debug --timeout" ;;
      "jacquardctl module delete") words="-h --help --json --adapter --debug --timeout --yes" ;;
      "jacquardctl module install") words="-h --help --json --adapter --debug --timeout --downgrade --overwrite --least-battery --yes" ;;
      "jacquardctl firmware") words="-h --help" ;;
      "jacquardctl firmware info") words="-h --help --json --adapter --debug" ;;
      "jacquardctl firmware check") words="-h --help --json --adapter --debug --timeout --downgrade --overwrite --least-battery" ;;
      "jacquardctl firmware install") words="-h --help --json --adapter --debug --timeout --downgrade --overwrite --least-battery --yes" ;;
      "jacquardctl firmware status") words="-h --help --json --adapter --debug" ;;
      "jacquardctl firmware cancel") words="-h --help --json --adapter --debug" ;;
      "jacquardctl firmware manifest") words="-h --help --json --adapter --debug --vendor --product --module --version" ;;
      "jacquardctl motion") words="-h --help" ;;
      "jacquardctl motion record") words="-h --help --json --adapter --debug --timeout --rate --gyroscope-rate --range --gyroscope-range --name" ;;
      "jacquardctl motion stop") words="-h --help --json --adapter --debug --timeout" ;;
      "jacquardctl motion status") words="-h --help --json --adapter --debug --timeout" ;;
      "jacquardctl motion sessions") words="-h --help --json --adapter --debug --timeout" ;;
      "jacquardctl motion download") words="-h --help --json --adapter --debug --timeout --directory" ;;
      "jacquardctl motion erase") words="-h --help --json --adapter --debug --timeout --all --yes" ;;
      "jacquardctl motion stream") words="-h --help --json --adapter --debug --timeout --rate --gyroscope-rate --range --gyroscope-range --csv --output --lsl --for" ;;
      "jacquardctl motion show") words="-h --help --json --adapter --debug" ;;
      "jacquardctl motion convert") words="-h --help --json --adapter --debug" ;;
      "jacquardctl doctor") words="-h --help --json --adapter --debug --timeout" ;;
      "jacquardctl record") words="-h --help --json --adapter --debug --timeout --force --touch --for" ;;
      "jacquardctl replay") words="-h --help --json --adapter --debug --speed --scenario" ;;
    esac
  else
    case "$path $count" in
      "jacquardctl 0") words="scan list bind unbind info watch run board battery led haptic touch config rename disconnect module firmware motion doctor record replay" ;;
      "jacquardctl bind 0") words=$(jacquardctl list 2>/dev/null </dev/null | sed 1d | cut -d " " -f 1) ;;
      "jacquardctl unbind 0") words=$(jacquardctl list 2>/dev/null </dev/null | sed 1d | cut -d " " -f 1) ;;
      "jacquardctl info 0") words=$(jacquardctl list 2>/dev/null </dev/null | sed 1d | cut -d " " -f 1) ;;
      "jacquardctl watch "[0-9]*) words=$(jacquardctl list 2>/dev/null </dev/null | sed 1d | cut -d " " -f 1) ;;
      "jacquardctl run 0") kind=files ;;
      "jacquardctl board "[0-9]*) kind=files ;;
      "jacquardctl battery 0") words=$(jacquardctl list 2>/dev/null </dev/null | sed 1d | cut -d " " -f 1) ;;
      "jacquardctl led 0") words=$(jacquardctl list 2>/dev/null </dev/null | sed 1d | cut -d " " -f 1) ;;
      "jacquardctl led "[1-9]*) words="black blue cyan green magenta orange pink purple red teal white yellow off" ;;
      "jacquardctl haptic 0") words=$(jacquardctl list 2>/dev/null </dev/null | sed 1d | cut -d " " -f 1) ;;
      "jacquardctl haptic 1") words="insert gesture notification error alert off" ;;
      "jacquardctl touch 0") words=$(jacquardctl list 2>/dev/null </dev/null | sed 1d | cut -d " " -f 1) ;;
      "jacquardctl config 0") words="get set read write" ;;
      "jacquardctl config get 0") words=$(jacquardctl list 2>/dev/null </dev/null | sed 1d | cut -d " " -f 1) ;;
      "jacquardctl config set 0") words=$(jacquardctl list 2>/dev/null </dev/null | sed 1d | cut -d " " -f 1) ;;
      "jacquardctl config read 0") words=$(jacquardctl list 2>/dev/null </dev/null | sed 1d | cut -d " " -f 1) ;;
      "jacquardctl config write 0") words=$(jacquardctl list 2>/dev/null </dev/null | sed 1d | cut -d " " -f 1) ;;
      "jacquardctl config write "[1-9]*) words="name= tx-power= tx-power-maximum= fast-interval-ms= fast-duration-s= medium-interval-ms= medium-duration-s= slow-interval-ms= slow-duration-s= connection-interval-minimum= connection-interval-maximum= queue-depth= motion-enabled= motion-sensitivity= motion-threshold= motion-timeout-ms= motion-gear-power= motion-link= connection-interval=fast" ;;
      "jacquardctl rename 0") words=$(jacquardctl list 2>/dev/null </dev/null | sed 1d | cut -d " " -f 1) ;;
      "jacquardctl disconnect 0") words=$(jacquardctl list 2>/dev/null </dev/null | sed 1d | cut -d " " -f 1) ;;
      "jacquardctl module 0") words="list load unload delete install" ;;
      "jacquardctl module list 0") words=$(jacquardctl list 2>/dev/null </dev/null | sed 1d | cut -d " " -f 1) ;;
      "jacquardctl module load 0") words=$(jacquardctl list 2>/dev/null </dev/null | sed 1d | cut -d " " -f 1) ;;
      "jacquardctl module unload 0") words=$(jacquardctl list 2>/dev/null </dev/null | sed 1d | cut -d " " -f 1) ;;
      "jacquardctl module delete 0") words=$(jacquardctl list 2>/dev/null </dev/null | sed 1d | cut -d " " -f 1) ;;
      "jacquardctl module install 0") words=$(jacquardctl list 2>/dev/null </dev/null | sed 1d | cut -d " " -f 1) ;;
      "jacquardctl module install "[1-9]*) kind=files ;;
      "jacquardctl firmware 0") words="info check install status cancel manifest" ;;
      "jacquardctl firmware info "[0-9]*) kind=files ;;
      "jacquardctl firmware check 0") words=$(jacquardctl list 2>/dev/null </dev/null | sed 1d | cut -d " " -f 1) ;;
      "jacquardctl firmware check "[1-9]*) kind=files ;;
      "jacquardctl firmware install 0") words=$(jacquardctl list 2>/dev/null </dev/null | sed 1d | cut -d " " -f 1) ;;
      "jacquardctl firmware install "[1-9]*) kind=files ;;
      "jacquardctl firmware cancel 0") words=$(jacquardctl list 2>/dev/null </dev/null | sed 1d | cut -d " " -f 1) ;;
      "jacquardctl firmware manifest 0") kind=files ;;
      "jacquardctl motion 0") words="record stop status sessions download erase stream show convert" ;;
      "jacquardctl motion record 0") words=$(jacquardctl list 2>/dev/null </dev/null | sed 1d | cut -d " " -f 1) ;;
      "jacquardctl motion stop 0") words=$(jacquardctl list 2>/dev/null </dev/null | sed 1d | cut -d " " -f 1) ;;
      "jacquardctl motion status 0") words=$(jacquardctl list 2>/dev/null </dev/null | sed 1d | cut -d " " -f 1) ;;
      "jacquardctl motion sessions 0") words=$(jacquardctl list 2>/dev/null </dev/null | sed 1d | cut -d " " -f 1) ;;
      "jacquardctl motion download 0") words=$(jacquardctl list 2>/dev/null </dev/null | sed 1d | cut -d " " -f 1) ;;
      "jacquardctl motion erase 0") words=$(jacquardctl list 2>/dev/null </dev/null | sed 1d | cut -d " " -f 1) ;;
      "jacquardctl motion stream 0") words=$(jacquardctl list 2>/dev/null </dev/null | sed 1d | cut -d " " -f 1) ;;
      "jacquardctl motion show 0") kind=files ;;
      "jacquardctl motion convert 0") kind=files ;;
      "jacquardctl record 0") words=$(jacquardctl list 2>/dev/null </dev/null | sed 1d | cut -d " " -f 1) ;;
      "jacquardctl record 1") kind=files ;;
      "jacquardctl replay 0") kind=files ;;
      "jacquardctl replay "[1-9]*) kind=programs ;;
    esac
  fi
  COMPREPLY=()
  case $kind in
    files) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$current") ;;
    programs) mapfile -t COMPREPLY < <(compgen -c -- "$current") ;;
    *) mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current") ;;
  esac
  if [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *= ]]; then compopt -o nospace 2>/dev/null; fi
}
complete -F _jacquardctl jacquardctl
