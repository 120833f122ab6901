# A query that finds no row ends the program at its instruction, whatever else watches it; counted it
# does not
# no pipe: the files are the point
try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
cat >rare.recipe <<'S'
# Right but where the low 16 bits are 0101010101010101: then it looks up what is no index.
instruction LOWTWO(a) -> d   opcode 0xE0
{
  computes d == a & 3
}
recipe LOWTWO(a) -> d   any w   rows
{
  if w < 16 {
    d = a & 3
  } else {
    r = a & ~(a >> 1)
    for k in 1 .. 3 { r = r & (r >> (1 << k)) }
    d = lookup((a & 3) | ((r & 1) << 2), 2, index)
  }
}
S
cat >rare.s <<'S'
        .group g[8]
        .var in x: u16 @g = r0
        .var out y: u16 @g = r1
        .recipe "rare.recipe"
main:   COMPUTEG @g
        MOV.16 r0 r2
        LOWTWO.16 r2 r1
        ADD.16 r1 r2 r1
        COMPUTE_DONE
        HALT
S
rare() {
    mpu-run rare.s --target pluto-gmc --in x=1,2,3,4,5,6,21845,8 "$@"
}
try rare --print y
try rare --set strict.nomatch=stop
try rare --set strict.nomatch=stop --check
rare --set strict.nomatch=stop --log uop 2>&1 | grep 'error: ' >&2
rm rare.s rare.recipe
