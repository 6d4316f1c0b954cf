# From 5.83 on BlueZ reports why a link ended, and the connection passes the reason on; before that it is unknown. Core.
# Peer: bumble
. "$(dirname "$0")/lib.sh"

# The first reason that the host received for the end of a link.
end_of() { # LINK
  sed -n "/^connected .*, tag $1\$/,\$ s/^the link ended: //p" "$scratch/host" | head -n 1
}

start_host connect
start_tag
await_line host 30 '^connected 14/14, attempt [0-9]+, tag 1$'
link=1
for ending in "8 timeout" "19 remote" "22 local"; do
  read -r reason expected <<<"$ending"
  [ "$bluez" -ge 83 ] || expected=unknown
  radio tag 1 lose "$reason"
  await_line host 60 "^connected 14/14, attempt [0-9]+, tag $((link + 1))\$"
  expect_equal "the end of a link with reason $reason" "$expected" "$(end_of "$link")"
  link=$((link + 1))
done

# The library knows the reason itself if it dropped the link.
expect_exit host 0 TERM
stop_tag
