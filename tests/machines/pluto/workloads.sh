# SPDX-License-Identifier: MIT
# Published test vectors of what the paper's workloads compute, on the three designs: CRC-8, -16 and
# -32 of "123456789", the core of Salsa20, VMPC's function with the key of its vector.
#   workloads.sh BIN WORK
set -u
PATH=$1:$PATH
rm -rf "$2"
mkdir -p "$2"
cd "$2" || exit 1
failed=0
fail() {
    echo "FAILED: $*"
    failed=1
}

# run PROGRAM WANTED ARGUMENT...: what it prints, in one line.
run() {
    program=$1 wanted=$2
    shift 2
    ezpim -Wno-large-table "$program.ez" -o "$program.mpu" || fail "$program"
    for target in pluto-bsa pluto-gsa pluto-gmc; do
        got=$(mpu-run --target $target "$program.mpu" --check "$@" | sed '/: done; /d' | tr -s ' \n' ' ')
        test "$got" = "$wanted " || fail "$program on $target: $got, not $wanted"
    done
}

# ---- CRCs, a byte at a time: the highest bit first; CRC-32 the lowest ----

# crc BITS POLYNOMIAL FIRST WANTED
crc() {
    awk -v w="$1" -v poly="$2" -v first="$3" '
        function xor(a, b,   z, k) {
            for (k = 1; a || b; k *= 2) {
                z += (a % 2 != b % 2) * k; a = int(a / 2); b = int(b / 2)
            }
            return z
        }
        function entry(i,   c, j) { # of a byte at the top
            c = i * 2 ^ (w - 8)
            for (j = 0; j < 8; j++)
                c = c >= 2 ^ (w - 1) ? xor(c * 2 - 2 ^ w, poly) : c * 2
            return c
        }
        BEGIN {
            print "size n; group g[n]; in message: u8[9] @ g; out crc: u" w " @ g;"
            printf "const T: u%d[256] = { %.0f", w, entry(0)
            for (i = 1; i < 256; i++)
                printf ", %.0f", entry(i)
            print " };"
            print "main { compute g { let c: u" w " = " first ";"
            next_c = w == 8 ? "T[c ^ message[k]]" : "(c << 8) ^ T[u8(c >> " w - 8 ") ^ message[k]]"
            print "    unroll for k: 0 .. 9 { c = " next_c "; }"
            print "    crc = c; } }"
        }' > "crc$1.ez"
    run "crc$1" "crc = $4 $4" --in message=49,50,51,52,53,54,55,56,57,49,50,51,52,53,54,55,56,57 --print crc
}
crc 8 7 0 244              # CRC-8/SMBUS: 0xF4
crc 16 4129 65535 10673    # CRC-16/IBM-3740: 0x29B1
crc 32 79764919 4294967295 58124007 # CRC-32/MPEG-2: 0x0376E6E7

# ---- Salsa20's specification, section 8, the second example ----

awk 'BEGIN {
    print "size n; group g[n]; in block: u32[16] @ g; out hash: u32[16] @ g;"
    print "main { compute g {"
    for (i = 0; i < 16; i++)
        print "    let x" i " = block[" i "];"
    print "    repeat (10) {"
    split("0 4 8 12 5 9 13 1 10 14 2 6 15 3 7 11 0 1 2 3 5 6 7 4 10 11 8 9 15 12 13 14", q, " ")
    split("7 9 13 18", turn, " ")
    for (b = 0; b < 8; b++)
        for (s = 0; s < 4; s++) {
            to = q[4 * b + (s + 1) % 4 + 1]
            a = "(x" q[4 * b + s + 1] " + x" q[4 * b + (s + 3) % 4 + 1] ")"
            print "        x" to " = x" to " ^ (" a " << " turn[s + 1] " | " a " >> " 32 - turn[s + 1] ");"
        }
    print "    }"
    for (i = 0; i < 16; i++)
        print "    hash[" i "] = x" i " + block[" i "];"
    print "} }"
}' > salsa.ez
words() { # BYTES SEPARATOR: words of four bytes, the lowest first
    echo "$1" | awk -v separator="$2" '{
        for (i = 1; i <= NF; i += 4)
            printf "%s%.0f", (i > 1 ? separator : ""), $i + 256 * ($(i + 1) + 256 * ($(i + 2) + 256 * $(i + 3)))
    }'
}
before=$(words "211 159 13 115 76 55 82 183 3 117 222 37 191 187 234 136 49 237 179 48 1 106 178 219 175 199 166 48 86 16 179 207 31 240 32 63 15 83 93 161 116 147 48 113 238 55 204 36 79 201 235 79 3 81 156 47 203 26 244 243 88 118 104 54" ,)
after=$(words "109 42 178 168 156 240 248 238 168 196 190 203 26 110 170 154 29 29 150 26 150 30 235 249 190 163 251 48 69 144 51 57 118 40 152 157 180 57 27 94 107 42 236 35 27 111 114 114 219 236 232 135 111 155 110 18 24 232 95 158 179 19 48 202" " ")
run salsa "hash = $after" --in block=$before --print hash

# ---- VMPC: P[P[P[x]] + 1] of all bytes, P after the key schedule of the published vector, whose
# first bytes of output are a8 24 79 f5 ----

awk 'BEGIN {
    split("150 97 65 10 183 151 216 169 235 118 124 33 23 45 246 199", key, " ")
    split("75 92 47 0 62 103 243 149 87 168 210 111 61 162 177 85", iv, " ")
    for (i = 0; i < 256; i++) p[i] = i
    for (m = 0; m < 1536; m++) {
        i = m % 256
        s = p[(s + p[i] + (m < 768 ? key[m % 16 + 1] : iv[m % 16 + 1])) % 256]
        t = p[i]; p[i] = p[s]; p[s] = t
    }
    print "size n; group g[n]; in x: u8 @ g; out y: u8 @ g;"
    printf "const P: u8[256] = { %d", p[0]
    for (i = 1; i < 256; i++)
        printf ", %d", p[i]
    print " };\nmain { compute g { y = P[P[P[x]] + 1]; } }"
    printf "y =" > "wanted"
    for (x = 0; x < 256; x++)
        printf " %d", p[(p[p[x]] + 1) % 256] > "wanted"
    s0 = s
    for (n = 0; n < 4; n++) {
        s0 = p[(s0 + p[n]) % 256]
        printf "%02x", p[(p[p[s0]] + 1) % 256] > "stream"
        t = p[n]; p[n] = p[s0]; p[s0] = t
    }
}' > vmpc.ez
test "$(cat stream)" = a82479f5 || fail "VMPC's key schedule: $(cat stream)"
run vmpc "$(cat wanted)" --in x=iota --size n=256 --print y
exit $failed
