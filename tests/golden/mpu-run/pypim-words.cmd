# Words of PyPIM's host as programs: text, 8 bytes each and in digits; what is refused; what is counted.
try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
cat >words.s <<'S'
        .buffer out reads: u32[2]
        .kernel words pypim(reads: u32[])
            CROSSBARS 0..3
            INIT1 r2[0..31]
            NOR r2[0..31] <- r0[0..31], r1[0..31]
            CROSSBARS 1          ; the rest in one row of one
            ROWS 5
            READ r2
            MOVE x2.r3@7 <- r0@5
            CROSSBARS 2
            ROWS 7
            READ r3
        .endkernel
main:   RECIPE words(reads)
        HALT
S
data='--in RFH1.VRF0.r0:u32=iota --in RFH1.VRF0.r1:u32=0,0,0,0,0,0xf0'
try mpu-run --target pypim words.s $data --print reads --print RFH1.VRF0.r2[0:7] --expect reads=0xffffff0a,5 \
    --stats json:stats.json
sed -n '/"machine"/,/}/p' stats.json
# The same words, as files.
mpu-as words.s && mpu-ld words.o -o words.mpu
mpu-objdump --target pypim --recipes words.mpu | awk '$1 ~ /^[0-9]+$/ && NF > 2 { print $2 }' >words.pypimhex
try mpu-run --target pypim words.pypimhex $data --print reads --print RFH1.VRF0.r2[0:7]
while read -r word; do
    for at in 15 13 11 9 7 5 3 1; do printf "\\$(printf %03o 0x"$(echo "$word" | cut -c$at-$((at + 1)))")"; done
done <words.pypimhex >words.pypim
try mpu-run --target pypim words.pypim $data --print reads --out reads=reads.npy
try mpu-run --target pypim words.pypim $data --log=uop
try mpu-run --target pypim - -x pypimhex $data --print reads <words.pypimhex
# Where they do not run.
try mpu-run --target racer words.pypim
try mpu-run --target pypim --check words.pypim
try mpu-run --target pypim --engine golden words.s
try mpu-run --target pypim words.pypim --in reads=1,2
try mpu-run --target pypim words.pypim --print RFH0.VRF0.r9
try mpu-run --target pypim words.pypim --max-cycles 4
try mpu-run --target pypim --expect reads=1,2 words.pypim
# What is wrong in a file.
echo 39 >read.pypimhex
try mpu-run --target pypim read.pypimhex
printf '  # nothing\nxyz\n' >digits.pypimhex
try mpu-run --target pypim digits.pypimhex
printf 'abc' >odd.pypim
try mpu-run --target pypim odd.pypim
: >empty.pypim
try mpu-run --target pypim empty.pypim
sed 's/r3@7 <- r0@5/r33@7 <- r0@5/' words.s >register.s
try mpu-run --target pypim register.s
sed 's/reads: u32\[\])/)/; s/words(reads)/words()/' words.s >nowhere.s
try mpu-run --target pypim nowhere.s
sed 's/u32\[2\]/u32[1]/' words.s >small.s
try mpu-run --target pypim small.s
