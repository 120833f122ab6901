#!/bin/sh
# SPDX-License-Identifier: MIT
# The comparison of two builds finds nothing between a build and itself, and finds a number that one of them
# has otherwise.
#   test.sh SOURCE_DIR BUILD
set -eu
source=$1 build=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
other=$dir/other
mkdir -p "$other/build/bin" "$other/tests"
ln -s "$source/examples" "$other/examples"
ln -s "$source/tests/golden" "$other/tests/golden"
ln -s "$build"/bin/* "$other/build/bin"

# compared COUNT [OPTION...]: the output is in $dir/out; the exit code is printed.
compared() {
    count=$1 code=0
    shift
    COMPARE_WORK=$dir/work sh "$source/tests/compare/run.sh" "$build" --example axpy.ez --target racer "$@" "$other" \
        "$count" >"$dir/out" 2>&1 || code=$?
    echo $code
}
fail() {
    cat "$dir/out"
    echo "FAILED: $*"
    exit 1
}

[ "$(compared 4)" = 0 ] || fail "a build differs from itself"
for kind in code listings placements "recipe tables" results statistics traces logs "micro-op streams" messages \
    "target files"; do
    grep -q "^$kind  *[1-9][0-9]*  *0\$" "$dir/out" || fail "nothing compared: $kind"
done

[ "$(compared 2 --engine fused)" = 0 ] || fail "the engine fused differs from strict"
for kind in results statistics traces logs "micro-op streams"; do
    grep -q "^$kind  *[1-9][0-9]*  *0\$" "$dir/out" || fail "nothing compared between engines: $kind"
done

rm "$other/build/bin/mpu-run"
cat >"$other/build/bin/mpu-run" <<TEXT
#!/bin/sh
code=0
"$build/bin/mpu-run" "\$@" || code=\$?
[ ! -e plain.json ] || sed -i 's/"issue_slots": 1/"issue_slots": 2/' plain.json
exit \$code
TEXT
chmod +x "$other/build/bin/mpu-run"
[ "$(compared 0 --engine fused)" = 1 ] || fail "another number is not seen between engines"
[ "$(compared 0)" = 1 ] || fail "another number is not seen"
grep -q '^statistics  *[0-9]*  *1$' "$dir/out" || fail "more than one run differs, or none"
grep -q '^    < total.issue_slots: 2' "$dir/out" || fail "the figure is not named"
