# Measures: a recording is downloaded at 90 % or more of the rate of a program that uses only libdbus, checks nothing and
# ignores replies. Each downloads it four times; the highest rates count, because they were disturbed least.
# Peer: bumble
# Takes up to 300 s.
. "$(dirname "$0")/lib.sh"
times=2

best_rate() { # NAME
  sed -n 's/^downloaded .* \([0-9.]*\) kB\/s$/\1/p' "$scratch/$1"[12] | sort -n | tail -n 1
}

echo "session 1627344030 samples 1500" >"$scratch/scenario"
for round in 1 2; do
  background library$round timeout 120 "$built/vm/motion" $central_address download "$scratch/library.bin" $times
  [ $round = 2 ] || { await_discovery; start_tag --scenario "$scratch/scenario"; }
  expect_exit library$round 0
  await_unconnected
  size=$(stat -c %s "$scratch/library.bin")
  background bare$round timeout 120 "$built/vm/bare" $tag_address "$size" "$scratch/bare.bin" $times
  expect_exit bare$round 0
  await_unconnected
done
cmp "$scratch/library.bin" "$scratch/bare.bin" || fail "the files differ"
library=$(best_rate library) bare=$(best_rate bare)
echo "$library kB/s, and $bare kB/s with libdbus alone"
awk "BEGIN { exit !($library >= 0.9 * $bare) }" || fail "$library kB/s is less than 90 % of $bare kB/s"
stop_tag
