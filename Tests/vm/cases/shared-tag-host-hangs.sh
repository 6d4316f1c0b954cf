# The same with a program that is stopped (SIGSTOP): the others notice it after 2 s and continue. When it continues as
# well, it uses the tag through another program. HOSTS sets the number of stops, SEED repeats a run.
# Peer: bumble
# Takes up to 200 s, and 40 s for each host.
. "$(dirname "$0")/lib.sh"
share_and_end stop 3 8
