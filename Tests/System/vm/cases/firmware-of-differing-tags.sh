# Tags differ in what no document says about an update: when they forget the image, how they respond until they restart, when
# they restart, how long they take to respond, whether they end the link (docs/protocol.md), and whether they accept the
# image. The result of each update agrees with the firmware of the tag. UPDATES sets their number, SEED repeats a run.
# Peer: bumble
# Takes up to 60 s, and 150 s for each update.
. "$(dirname "$0")/lib.sh"
updates=${UPDATES:-2}
seed=${SEED:-$(od -An -N2 -tu2 /dev/urandom | tr -d ' ')}
echo "SEED=$seed"
RANDOM=$seed
image=$scratch/image
removals=(execute restart) flashings=(responds busy) flash_times=(20ms 3s 2s)
greetings=(subscribed begun configured "subscribed once" "begun once" "configured once")

installed() {
  radio tag 1 tell "journal firmware" | sed 's/^ok//' | tr -d ' ' | tr A-F a-f
}

# Links that end during the transfer: with 1.5 s for each response, the set-up alone takes 15 s.
differ() { # NUMBER
  local latencies=(0s 30ms 1500ms) link_times=(unlimited 4s) latency
  latency=${latencies[RANDOM % 3]}
  [ "$latency" != 1500ms ] || link_times=(unlimited 45s)
  verification=accepted
  [ $(($1 % 8)) != 7 ] || verification=refused
  [[ $(($1 % 16)) != 1[12] ]] || verification=reverted
  printf '%s\n' "image-removal ${removals[$1 % 2]}" "flashing ${flashings[$1 / 2 % 2]}" \
    "flash-time ${flash_times[$1 / 4 % 3]}" "latency $latency" "link-time ${link_times[RANDOM % 2]}" \
    "greeting ${greetings[RANDOM % 6]}" "write-time 200ms"
  [ $((RANDOM % 2)) = 0 ] || echo "second-hello refused"
  echo "verification $verification"
}

for ((update = 0; update < updates; update++)); do
  version=2.$update.0
  head -c 2900 /dev/urandom >"$image"
  differ $update >"$scratch/scenario"
  echo "next-firmware $version" >>"$scratch/scenario"
  background update "$built/vm/firmware" $central_address update "$image" $version
  start_tag --scenario "$scratch/scenario"
  begun=$SECONDS
  tail --pid="${pid_of[update]}" -s 0.05 -f /dev/null
  wait "${pid_of[update]}"
  status=$?
  unset "pid_of[update]"
  links=$(grep -c '^connected$' "$scratch/update")
  result=$(grep -oE '^(outcome [0-9]|JACQUARD_ERROR_[A-Z_]+)' "$scratch/update" | tail -n 1)
  echo "$(paste -sd, "$scratch/scenario"): $result, $links links, $((SECONDS - begun)) s"
  if [ "$verification" = accepted ]; then
    expect_equal "the status of the update" 0 $status
    grep -q '^outcome 2$' "$scratch/update" || fail "it was not installed"
    expect_equal "the installed image" "$(od -An -v -tx1 "$image" | tr -d ' \n')" "$(installed)"
  else
    expect_equal "the status of the update" 1 $status
    grep -q -E '^JACQUARD_ERROR_(NOT_INSTALLED|TAG_STATUS): ' "$scratch/update" || fail "the failure was not reported"
    expect_equal "the installed image" "" "$(installed)"
  fi
  stop_tag
  await_unconnected
done
