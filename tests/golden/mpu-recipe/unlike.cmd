# What a published routine makes where it differs from the ISA: said, held to, and refused elsewhere
# no pipe: the file is the point
try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
# x - y, but 0 where x is less: what a machine without a borrow might make of it
write() {
    cat >sub.recipe <<S
recipe SUB(a, b) -> d   any w   generic   $2
{
  carry k = 1
  for j in 0 .. w-1 {
    t = a[j] ^ b[j] ^ !k
    k = maj(a[j], !b[j], k)
  }
  carry down s = k
  for j in w-1 downto 0 {
    s = s
    d[j] = t & s@j
  }
  computes d == a - b
  $1
}
S
}
check() {
    write "$1" "$2"
    try mpu-recipe check --op SUB --target racer --set arith=compat sub.recipe
}
check "unlike a < b, d == 0" "arith compat"
mpu-recipe expand --recipe --target racer --set arith=compat --op SUB --width 1 sub.recipe | grep unlike
try mpu-recipe verify --prove --target racer --set arith=compat --op SUB --width 4 sub.recipe
check "unlike a < b, d == 1" "arith compat"
check "unlike a + 1 < b, d == 0" "arith compat"
check "" "arith compat"
check "unlike a < b, d == 0" ""
check "unlike a < b, d == 0" "arith compat, flush"
check "unlike a < b" "arith compat"
check "unlike a < b, a == 0" "arith compat"
check "unlike a < e, d == 0" "arith compat"
check "unlike a < b, d < 0" "arith compat"
rm sub.recipe
