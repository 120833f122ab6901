cat >a.ez <<'S'
size  n <= 1 << 16 = 100;
group g[n];
in    x: u8 @ g;
out   best: u64;
main { best = argmin(x); }
S
ezpim --emit=ast a.ez | head -8
ezpim -c -o a.o a.ez
mpu-objdump -x a.o | sed -n '/^SIZES/,/^$/p'
mpu-objdump --reassemble -o b.s a.o
grep '\.size' b.s
mpu-as -o b.o b.s
cmp a.o b.o
rm a.ez a.o b.s b.o
