# no pipe: the target is the point
# What is found does not depend on threads, and progress is shown in a pipe where it is asked for.
try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
grep -v 'value:' one-section.yaml >no-constants.yaml
try mpu-recipe check --target no-constants.yaml --op INV,GETC,INIT0,INIT1,LI --width 1..2
sed 's/!(a | b)/!(a \& b)/' one-section.yaml >nand.yaml
for n in 1 3; do
    try mpu-recipe check --no-cache --threads $n --target nand.yaml --op ADD,INV,SHL --width 1..9
done
try mpu-recipe check --no-cache --threads 1 --progress --target nand.yaml --op ADD --width 1..8
for n in 1 3; do
    try mpu-recipe check --no-cache --threads $n --op XOR,INV --width 1..9 - <<'R'
recipe XOR(a, b) -> d   any w   needs NOR
{
  for j in 0 .. w-1 {
    t1 = NOR(a[j], b[j])
    t2 = NOR(a[j], t1)
    t3 = NOR(b[j], t1)
    t4 = NOR(t2, t3)
    if w == 6 || w == 7 { d[j] = NOR(t4, a[j]) } else { d[j] = NOR(t4, t4) }
  }
}
R
done
try mpu-recipe check --threads 0
rm -f no-constants.yaml nand.yaml
