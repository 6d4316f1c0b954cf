# The adapters are pulled out and come back under other names: one that is chosen by its address is the same.
. "$(dirname "$0")/lib.sh"

put_back() {
  stop_all
  "$here/services" stop btvirt
  exec 9>&-
  sleep 1
  "$here/services" start btvirt
  rm -rf "$scratch"
}
trap put_back EXIT

start_host --wait-for-adapter connect
start_tag
await_line host 30 '^connected 14/14, attempt [0-9]+, tag 1$'
"$here/services" stop btvirt
await_line host 30 '^adapter resetting : JACQUARD_ERROR_NO_ADAPTER: '
stop tag
# A controller that never answers takes hci0.
exec 9<>/dev/vhci
sleep 2
"$here/services" start btvirt
await_lines host 60 2 "^adapter powered on $central_address"
expect_equal "the address of hci1" "$central_address" "$(adapter_property hci1 Address)"
peripheral=hci2
start_tag
await_line host 60 '^connected 14/14, attempt [0-9]+, tag 2$'
expect_exit host 0 TERM
stop_tag
