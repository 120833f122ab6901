# SPDX-License-Identifier: MIT
# Row commands that --uops F:pluto wrote are carried out again as a kernel, and give the same rows;
# what is wrong with a kernel is named with its line.
#   kernels.sh BIN WORK
set -u
bin=$1
rm -rf "$2"
mkdir -p "$2"
cd "$2" || exit 1
failed=0
fail() {
    echo "FAILED: $*"
    failed=1
}

# ---- written, and carried out again ----

small='--set pluto.row_bits=512 --set array.lanes=8' # four VRFs of 64 lanes of 8 bits

table=$(awk 'BEGIN { for (i = 0; i < 256; i++) printf "%s%d", i ? ", " : "", (i * i + 7) % 256 }')
# again NAME WIDTH: program.s has inputs r0 and r1 and output r2; what it writes becomes a kernel.
again() {
    for target in pluto-bsa pluto-gsa pluto-gmc; do
        "$bin/mpu-run" --target $target "$1.s" --in x=iota --in y=y.npy --out z=is.npy \
            --uops "$1.pluto:pluto" --size n=250 $small || fail "$1 on $target"
        {
            echo "        .size n"
            echo "        .buffer in r0: u$2[n]"
            echo "        .buffer in r1: u$2[n]"
            echo "        .buffer out r2: u$2[n]"
            echo "        .kernel again pluto(r0: u$2[], r1: u$2[], r2: u$2[])"
            cat "$1.pluto"
            echo "        .endkernel"
            echo "main:   RECIPE again(r0, r1, r2)"
            echo "        HALT"
        } > again.s
        "$bin/mpu-run" --target $target again.s --in r0=iota --in r1=y.npy --out r2=again.npy \
            --size n=250 $small > /dev/null || fail "$1 again on $target"
        cmp is.npy again.npy || fail "$1 is not the same on $target"
        "$bin/mpu-as" again.s -o again.o &&
            "$bin/mpu-ld" --target $target --size n=250 again.o -o again.mpu &&
            "$bin/mpu-objdump" --recipes again.mpu > listing ||
            fail "listing of $1"
        grep -q "pluto_" listing || fail "no commands in the listing of $1"
    done
}
program() { # NAME WIDTH; the body comes from the input
    {
        echo "        .size n"
        echo "        .lut square k=8 width=8 = $table"
        echo "        .group g[n]"
        echo "        .var in x: u$2 @g = r0"
        echo "        .var in y: u$2 @g = r1"
        echo "        .var out z: u$2 @g = r2"
        echo "main:   COMPUTEG @g"
        cat
        echo "        COMPUTE_DONE"
        echo "        HALT"
    } > "$1.s"
}
values() { # WIDTH
    "$bin/mpu-run" --target golden values"$1".s --in x=iota --out y=y.npy --size n=250 ||
        fail "values of $1 bits"
}
for width in 8 16 32; do
    cat > values$width.s << END
        .size n
        .group g[n]
        .var in x: u$width @g = r0
        .var out y: u$width @g = r1
main:   COMPUTEG @g
        LI.$width 77 r1
        MUL.$width r0 r1 r1
        COMPUTE_DONE
        HALT
END
done
values 8
program sums 8 << 'END'
        ADD.8 r0 r1 r2
        MUL.8 r2 r0 r2
        SUB.8 r2 r1 r2
END
again sums 8
program masked 8 << 'END'
        MOV.8 r0 r2
        CMPLT.8 r0 r1
        SETMASK cond
        XOR.8 r0 r1 r2
        UNMASK
END
again masked 8
program table 8 << 'END'
        LUT.8 r0 square r2
        XOR.8 r2 r1 r2
        LUT.8 r2 square r2
END
again table 8
values 32
program wide 32 << 'END'
        MUL.32 r0 r1 r2
        POPC.32 r2 r2
        ADD.32 r2 r1 r2
END
again wide 32

# ---- elements that fill no byte keep their sign ----

for width in 4 12; do
    cat > sign.s << END
        .size n
        .buffer in x: i$width[n]
        .buffer out y: i$width[n]
        .kernel f pluto(x: i$width[], y: i$width[])
            pluto_not r1, r0
        .endkernel
main:   RECIPE f(x, y)
        HALT
END
    cat > same.s << END
        .size n
        .group g[n]
        .var in x: i$width @g = r0
        .var out y: i$width @g = r1
main:   COMPUTEG @g
        INV.$width r0 r1
        COMPUTE_DONE
        HALT
END
    "$bin/mpu-run" --target pluto-gmc sign.s --in x=iota --out y=kernel.npy --size n=8 > /dev/null &&
        "$bin/mpu-run" --target golden same.s --in x=iota --out y=same.npy --size n=8 > /dev/null ||
        fail "i$width"
    cmp kernel.npy same.npy || fail "i$width: sign"
done

# ---- what is wrong is named ----

# wrong LINE WHAT: the kernel's lines come from the input.
wrong() {
    {
        echo "        .size n"
        echo "        .buffer in x: u8[n]"
        echo "        .buffer out y: u8[n]"
        echo "        .kernel f pluto(x: u8[], y: u8[])"
        cat
        echo "        .endkernel"
        echo "main:   RECIPE f(x, y)"
        echo "        HALT"
    } > wrong.s
    "$bin/mpu-run" --target pluto-gmc wrong.s --in x=iota --size n=20 --set strict.nomatch=stop \
        > /dev/null 2> said && fail "taken: $2"
    grep -q "wrong.s:$1[:,].*$2" said || { fail "line $1, $2:"; cat said; }
}
wrong 5 "a row program reads an unset row" << 'END'
            pluto_not r1, t3
END
wrong 6 "has 0 elements here, not 256" << 'END'
            row_copy r1, r0
            pluto_op r1, r0, lut3, 256, 8
END
wrong 6 "element 1 of lut0 is wider than the field, 4 bits" << 'END'
            table lut0 = 1, 16
            pluto_op r1, r0, lut0, 2, 4
END
wrong 6 "a query's width does not divide the row" << 'END'
            table lut0 = 1, 2
            pluto_op r1, r0, lut0, 2, 3
END
wrong 5 "expected a command of rows, found 'pluto_nand" << 'END'
            pluto_nand r1, r0
END
wrong 5 "expected a row" << 'END'
            row_copy r64, r0
END
wrong 5 "300 is wider than a slot, 8 bits" << 'END'
            pluto_or r1, r0, 300
END
wrong 5 "writes a constant" << 'END'
            row_copy 3, r0
END
wrong 6 "laps have no end" << 'END'
            laps 3 (i)
            row_copy r1, r0
END
wrong 6 "'t0+100\*i' leads outside t0 to t255" << 'END'
            laps 3000
            row_copy t0+100*i, r0
            end
END
wrong 6 "'t255+1\*i' leads outside t0 to t255" << 'END'
            laps 2 (i)
            row_copy t255+1*i, r0
            end
END
wrong 6 "it steps by the same lap twice" << 'END'
            laps 3 (i)
            row_copy t0+1*i+2*i, r0
            end
END
wrong 6 "'r1-1\*i' leads outside r0 to r63" << 'END'
            laps 3 (i)
            row_copy r1-1*i, r0
            end
END
wrong 5 "a shift of a row program is too far\|at most 4096" << 'END'
            pluto_bit_shift_l r1, #5000
END
wrong 8 "kernel 'f', pc 0, wrong.s:6: .*finds none for 0x2 in lane 2 of VRF 0" << 'END'
            table lut0 = 1, 2
            pluto_op r1, r0, lut0, 2, 8
END

# ---- a table that comes for each query is warned about ----

for target in pluto-gsa pluto-bsa; do
    rows=512
    test $target = pluto-bsa && rows=65536
    {
        echo "        .size n"
        echo "        .buffer in x: u16[n]"
        echo "        .buffer out y: u16[n]"
        echo "        .kernel f pluto(x: u16[], y: u16[])"
        awk -v n=$rows 'BEGIN { printf "            table lut0 = 7"; for (i = 1; i < n; i++) printf ", %d", i; print "" }'
        echo "            pluto_op r1, r0, lut0, $rows, 16"
        echo "            pluto_op r1, r1, lut0, $rows, 16"
        echo "        .endkernel"
        echo "main:   RECIPE f(x, y)"
        echo "        HALT"
    } > slow.s
    "$bin/mpu-run" --target $target slow.s --in x=iota --size n=20 --print 'y[0:3]' > is 2> said &&
        grep -q '^y.0:3. = 7 1 2$' is || fail "a slow kernel on $target"
    test $(grep -c "slow.s:6:1: warning: kernel 'f': a table of $rows rows is loaded for each query" said) = 1 ||
        { fail "no warning on $target"; cat said; }
done

# ---- a split table is loaded once for each bank: 17 VRFs lie in 16 of them ----

{
    echo "        .size n"
    echo "        .buffer in x: u16[n]"
    echo "        .buffer out y: u16[n]"
    echo "        .kernel f pluto(x: u16[], y: u16[])"
    awk 'BEGIN { printf "            table lut0 = 7"; for (i = 1; i < 1024; i++) printf ", %d", i; print "" }'
    echo "            pluto_op r1, r0, lut0, 1024, 16"
    echo "        .endkernel"
    echo "main:   RECIPE f(x, y)"
    echo "        HALT"
} > split.s
awk 'BEGIN { for (i = 0; i < 69632; i++) print i % 1024 }' > x.csv
"$bin/mpu-run" --target pluto-bsa split.s --in x=x.csv --print 'y[69630:69632]' --stats csv > is 2> said ||
    { fail "a split table"; cat said; }
grep -q '^y.69630:69632. = 1022 1023$' is && grep -q "^machine.WR,$((16 * 1024 + 17))$" is ||
    { fail "rows of a split table"; cat is; }

# ---- what stands behind an else that is not taken may be what the target has not ----

cat > else.s << END
        .size n
        .group g[n]
        .var in a: f32 @g = r0
        .buffer in x: u32[n]
        .buffer out y: u32[n]
        .kernel f pluto(x: u32[], y: u32[]) else slow
            pluto_not r1, r0
        .endkernel
main:   RECIPE f(x, y)
        HALT
        .sub slow
        COMPUTEG @g
        FADD.32 r0 r0 r1
        COMPUTE_DONE
        RETURN
        .endsub
END
for target in pluto-bsa pluto-gsa pluto-gmc; do
    "$bin/mpu-run" --target $target else.s --in x=iota --in a=iota --size n=3 --print y > is 2>&1 &&
        grep -q '^y = 4294967295 4294967294 4294967293$' is || { fail "an else on $target"; cat is; }
done
"$bin/mpu-as" else.s -o else.o && "$bin/mpu-ld" --target pluto-gmc else.o --size n=3 -o else.mpu &&
    "$bin/mpu-run" --target pluto-gmc else.mpu --size n=3 --in x=iota --in a=iota --print y > is 2>&1 ||
    { fail "a package with an else"; cat is; }

# On planes likewise: a division of floats takes 147,739 templates where something comes to it.
cat > plane.s << END
        .size n
        .group g[n]
        .var out d: f64 @g = r3
        .buffer out x: u32[n]
        .kernel f pypim(x: u32[]) else slow
            ROWS 5
            CROSSBARS 1
            READ r1
        .endkernel
main:   RECIPE f(x)
        HALT
        .sub slow
        COMPUTEG @g
        FDIV.64 r0 r1 r3
        COMPUTE_DONE
        RETURN
        .endsub
END
"$bin/mpu-as" plane.s -o plane.o && "$bin/mpu-ld" --target pypim plane.o --size n=1 -o plane.mpu 2> said &&
    "$bin/mpu-objdump" --target pypim --recipes plane.mpu > listing || fail "an else on pypim"
test ! -s said || { fail "a warning of what nobody carries out"; cat said; }
grep -q '^recipes for target pypim: 0, in 0 of' listing && ! grep -q FDIV listing ||
    { fail "a listing on pypim"; cat listing; }
"$bin/mpu-run" --target pypim plane.mpu --size n=1 --print x 2>&1 | grep -q '^x = 0$' || fail "pypim's kernel"

exit $failed
