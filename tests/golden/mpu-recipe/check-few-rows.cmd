# no pipe: the target is the point
# Too few scratch rows are one error in the target's file, with a number that serves.
try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
sed 's/rows: 1024/rows: 512/; s/0\.\.1021/0..509/; s/1022/510/; s/1023/511/' one-section.yaml >few.yaml
try mpu-recipe check --target few.yaml --op MUL,SDIV,ADD --width 63,64 2>err
cat err >&2
scratch=$(sed -n "s/.*note: '\(scratch: [0-9]*\)' in rows.cells.*/\1/p" err)
sed "s/range: \"0..509\"/&, $scratch/" few.yaml >enough.yaml
try mpu-recipe check --target enough.yaml --op MUL,SDIV,ADD --width 63,64
sed 's/rows: 1024/rows: 260/; s/0\.\.1021/0..257/; s/1022/258/; s/1023/259/' one-section.yaml >few.yaml
try mpu-recipe check --target few.yaml --op SDIV --width 64
# The narrowest width is told, in whatever order they are asked for.
try mpu-recipe check --target few.yaml --op SDIV --width 64,63,64
rm -f few.yaml enough.yaml err
