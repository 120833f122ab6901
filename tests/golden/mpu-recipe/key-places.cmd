# What stands against a recipe is said with its key, and where the file has it, by each command.
cat >up.yaml <<'YAML'
schema: 1
name: up
extends: racer
array: { sections: 4 }
control: { issue_queue: 0 }
ops:
  BUF: { in: [a], out: d, fn: "a", class: crossing, energy: e_buffer,
         where: "class(d) == buffer && section(d) == here + 1 || section(a) == here && section(d) == here" }
YAML
cat >queue.recipe <<'R'
# Two carries wait for one another in a queue.
recipe AND(a, b) -> d   any w   for up, racer
{
  carry x = zero
  carry y = zero
  for j in 0 .. w-1 {
    if j > 0 { p = NOR(x@j, zero) }
    if j > 0 { q = NOR(y@j, zero) }
    t = NOR(a[j], zero)
    u = NOR(b[j], zero)
    if j < w-1 {
      x = BUF(t)
      y = BUF(u)
    }
    d[j] = NOR(t, u)
  }
  computes d == (a & b)
}
R
cat >a.ez <<'S'
group g[4];
in x, y: u8 @ g;
out z: u8 @ g;
main { compute g { z = x + y; } }
S
try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
for command in check verify expand; do
    try mpu-recipe $command --target ./up.yaml --op ADD --width 8
    try mpu-recipe $command --target ./up.yaml --op AND --width 2 queue.recipe
done
try mpu-recipe check --set control.issue_queue=0 --op AND queue.recipe
try mpu-run --target ./up.yaml --in x=1,2,3,4 --in y=iota --print z a.ez
rm up.yaml queue.recipe a.ez
