# no pipe: the suffix says that it is Python
try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
sed -i 's/ + down > limit/ + down.astype(np.uint16) > limit.astype(np.uint16)/' kernel.py
try ezpim --emit=layout kernel.py
try ezpim --emit=layout --entry edges kernel.py
try ezpim --emit=layout --entry edgy kernel.py
sed -i 's/    img\[total > 100\] = 0/    img[img > 100] = 0/' kernel.py
try ezpim --emit=signature --entry rows -D W=7 kernel.py
try ezpim --emit=ir --entry rows -D V=7 kernel.py
try ezpim --entry rows -o rows.mpu kernel.py
try mpu-run --target golden rows.mpu --in img=iota --print total --print img
sed -i 's/    return strong/    img[1:-1, 1:-1] = across.astype(np.int32)\n    return strong/' kernel.py
try ezpim -o out.mpu --entry edges kernel.py
rm -f rows.mpu
exit 0
