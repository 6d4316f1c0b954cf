# A tag whose firmware knows no write requests: the library writes commands.
. "$(dirname "$0")/lib.sh"

echo "firmware 1.42.0" >"$scratch/scenario"
background example "$built/examples/battery"
start_tag --scenario "$scratch/scenario"
expect_exit example 0
expect_output example <<END
adapter unknown
adapter $central_address powered on
found 01ZK Jacquard-01ZK
preparing 0/14
preparing 1/14
connecting 2/14
connecting 3/14
connecting 4/14
connecting 5/14
connecting 6/14
connecting 7/14
initializing 8/14
initializing 9/14
initializing 10/14
initializing 11/14
configuring 12/14
configuring 13/14
connected 14/14
battery 80%
END
stop_tag
