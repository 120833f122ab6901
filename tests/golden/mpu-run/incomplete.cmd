# A target of one's own whose gates do not suffice; what they can do, they do.
cp "$EXAMPLES/technology/and-or.yaml" .
try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
cat >a.ez <<'S'
group g[4];
in x, y: u8 @ g;
out z: u8 @ g;
main { compute g { z = x ^ y; } }
S
cat >b.ez <<'S'
group g[4];
in x, y: u8 @ g;
out z: u8 @ g;
main { compute g { z = x | y; } }
S
try mpu-run --target and-or.yaml --in x=1,2,3,4 --in y=iota --print z a.ez
try mpu-run --target and-or.yaml --check --in x=1,2,3,4 --in y=iota --print z b.ez
rm a.ez b.ez and-or.yaml
