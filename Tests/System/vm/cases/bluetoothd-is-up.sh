# Two powered adapters that support both roles.
. "$(dirname "$0")/lib.sh"

expect_equal "the central's address" "$central_address" "$(adapter_property $central Address)"
expect_equal "the peripheral's address" "$peripheral_address" "$(adapter_property $peripheral Address)"
for adapter in $central $peripheral; do
  expect_equal "Powered of $adapter" "boolean true" "$(adapter_property "$adapter" Powered)"
  expect_equal "Roles of $adapter" "array [ central peripheral ]" "$(adapter_property "$adapter" Roles)"
done
