# arith chooses recipes: results are the same, figures are not, and statistics say why; a package made
# for one arithmetic is made anew for another
# no pipe: the file is the point
try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
cat >sum.s <<'S'
        .group g[4]
        .var in x: u16 @g = r0
        .var in y: u16 @g = r1
        .var out z: u16 @g = r2
main:   COMPUTEG @g
        ADD.16 r0 r1 r2
        COMPUTE_DONE
        HALT
S
cat >slow.recipe <<'S'
recipe ADD(a, b) -> d   any w   generic   arith compat, flush
{
  carry c = 0
  for j in 0 .. w-1 {
    d[j] = a[j] ^ b[j] ^ c
    c = maj(a[j], b[j], c@j)
  }
}
S
sum() {
    mpu-run "$@" --in x=1,2,65535,7 --in y=3,4,5,6 --print z
}
figures() {
    sum "$@" --check --stats=json | awk '/^z/ || /"value"/ || /"datapath_cycles"/ && !n++'
}
figures sum.s --target pypim
figures sum.s --target pypim --set arith=serial
mpu-as sum.s -o sum.mpo && mpu-ld --target pypim sum.mpo -o sum.mpu
figures sum.mpu --target pypim --set arith=serial
try sum sum.s --target racer --set arith=compat
try sum sum.s --target golden --set arith=serial
sed 's/^main:/        .recipe "slow.recipe"\nmain:/' sum.s >slow.s
sum slow.s --target racer --set arith=compat --check
rm sum.* slow.*
