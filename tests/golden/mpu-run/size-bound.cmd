try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
cat >a.ez <<'S'
size  n <= 8;
size  m <= 3 = 2;
group g[n];
group h[m];
in    x: u8 @ g;
in    y: u8 @ h;
out   best, next: u64;
main { best = argmax(x); next = argmax(y); }
S
try mpu-run --target golden a.ez --in x=1,2,3,9,4,5,9,8 --in y=iota --print best
try mpu-run --target golden a.ez --in x=1,2,3,4,5,6,7,8,9 --in y=iota --print best
try mpu-run --target golden a.ez --size n=9 --in x=iota --in y=iota --print best
try mpu-run --target golden a.ez --size n=1,m=4 --in x=iota --in y=iota --print best
try mpu-run --target golden a.ez --size n=1,m=3 --in x=iota --in y=iota --print next
rm a.ez
