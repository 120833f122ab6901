# A program that is a pipeline: results, time part by part, rounds, checks, and what is refused.
cp "$EXAMPLES/dappa/dot.ez" "$EXAMPLES/dappa/sel.ez" "$EXAMPLES/dappa/red.ez" .
try() { echo "$ mpu-run $*"; mpu-run "$@" 2>&1 || echo "exit $?"; }
try --target upmem-dappa dot.ez --size n=331 --in a=iota --in b=iota --print sum --stats text:-
try --target racer --check dot.ez --in a=iota --in b=iota
try --target upmem --check dot.ez --in a=iota --in b=iota
try --target golden --check dot.ez --in a=iota --in b=iota
sed 's/length n;/length n; units 2; mram_bytes 800; cpu_elements 5;/' sel.ez >rounds.ez
try --target upmem rounds.ez --in x=iota --print 'y[0:4]' --print kept --stats text:-
mpu-run --target upmem rounds.ez --in x=iota --stats json:- | sed -n '/"pipeline"/,$p' | grep -v _ps
try --target upmem,racer red.ez --size n=100,331 --in x=iota --in sum=5
try --target upmem red.ez --in x=iota
try --target upmem red.ez --in x=iota --in sum=5 --trace t.json
cat >wild.ez <<'W'
size n = 3;
buffer in x: i32[n];
buffer out y: i32[n];
pipeline p {
    length n;
    const i32 one = 1;
    array t: i32;
    map (out t, in x) { *t = *x; }
    map (out y, in t) {
        i32 s[2];
        s[*t] = one;
        *y = s[0];
    }
}
W
try --target upmem wild.ez --in x=iota
try --target racer wild.ez --in x=iota
ezpim dot.ez
sed 's/^size n = 1000;/const count = 1000;/; s/\[n\]/[count]/; s/length n/length count/' dot.ez >defined.ez
try --target racer dot.mpu --size n=12 --in a=iota --in b=iota --print sum
try --target racer -D count=12 defined.ez --in a=iota --in b=iota --out sum=-
mpu-ld --target racer dot.mpu 2>&1 || echo "exit $?"
