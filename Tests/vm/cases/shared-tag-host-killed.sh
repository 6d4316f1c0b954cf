# Four programs share a tag that sends gestures, and play light patterns. The one that has the link is killed at random:
# during use, set-up, and the download of another program. The others continue after 3 s (median), at most 8 s, without
# duplicated gestures or patterns and without unreported losses. HOSTS sets the number of kills, SEED repeats a run.
# Peer: bumble
# Takes up to 200 s, and 40 s for each host.
. "$(dirname "$0")/lib.sh"
share_and_end kill 3 8
