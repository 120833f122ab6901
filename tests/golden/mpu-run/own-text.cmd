# a program that takes more of a lane than a target has runs a text of its own there, of a user's
# crossbar as well, whose room its own recipes leave; the others keep theirs
# no pipe: the file is the point
cat >sums.ez <<'S'
size n;
group g[n];
in x, y: i32 @ g;
out lt: bool @ g;
out q, r: i32 @ g;
out s, m: i32;
main {
  compute g {
    lt = x < y;
    q = x / y;
    r = x % y;
  }
  s = sum(x);
  m = max(q);
}
S
cat >small.yaml <<'S'
schema: 1
name: small
extends: pypim
array: { lanes: 128, sections: 16, rows: 56 }
rows:
  cells: { range: "0..53", scratch: 40 }
  zero: { row: 54, value: 0 }
  one: { row: 55, value: 1 }
S
sums() {
    mpu-run "$@" --in x=100,-7,2147483647,-2147483648,5 --in y=7,3,-1,-1,0 --size n=5 --print q --print r \
        --print s --print m
    echo "exit $?" >&2
}
sums sums.ez --target pypim --check
sums sums.ez --target ./small.yaml --check
ezpim sums.ez -o sums.mpu
sums sums.mpu --target ./small.yaml
rm sums.* small.yaml
