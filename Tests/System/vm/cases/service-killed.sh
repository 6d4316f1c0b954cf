# Measures how long programs are without their tag when the service is killed: `Tests/Support/long service`.
# Programs share a tag through jacquardd, play light patterns, receive gestures, and stream. The service is killed at random:
# all have the tag again, after at most twice the time that the successor of a program needs which had the link itself.
# Nothing comes or is played twice, and each gap is reported. A program that is killed or stopped changes nothing for the
# others. KILLS sets the number of kills, SEED repeats a run.
# Peer: bumble
# Takes up to 200 s, and 30 s for each kill.
. "$(dirname "$0")/lib.sh"
seed=${SEED:-$(od -An -N2 -tu2 /dev/urandom | tr -d ' ')}
echo "SEED=$seed"
# A new tag for 20 kills, because its journal has a limit.
for ((left = ${KILLS:-5}; left > 0; left -= count)); do
  count=$((left < 20 ? left : 20))
  start_tag
  /usr/bin/python3 "$here/programs/endings.py" $count $((seed++)) $central_address $tag_identifier "$built" "$scratch" ||
    fail "see above"
  stop_tag
done
