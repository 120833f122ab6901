# what has no room on a machine gets a text of its own there, also where a loop that lanes leave, or lanes that
# are left out, need more than there is; nothing is offered that does not help
offered() { # NAME STATEMENT
    cat >"$1.ez" <<S
size n = 100;
group g[n];
in x: u32[26] @ g;
out y: u32 @ g;
var a, b: u32 @ g;
main {
  compute g {
    a = x[0];
    b = x[1];
    y = 0;
    $2
    y += a ^ b;
  }
}
S
    ezpim -Wno-own-text "$1.ez" -o "$1.mpu"
    mpu-ld --target pypim "$1.mpu" -o linked.mpu && echo "$1: it has room"
    ezpim --columns 22 "$1.ez" -o "$1.mpu" 2>&1 | grep -o 'or -fspill.*' # the compiler, too
    ezpim -fspill --columns 22 "$1.ez" -o "$1.mpu" 2>/dev/null && mpu-ld --target pypim "$1.mpu" -o linked.mpu && echo "it helps"
}
step='b += x[2]; y += x[3] ^ x[4] ^ x[5] ^ x[6] ^ x[7] ^ x[8] ^ x[9]; y ^= x[10] + x[11] + x[12] + x[13] + x[14] + x[15];
    y += x[16] ^ x[17] ^ x[18] ^ x[19] ^ x[20] ^ x[21]; y ^= x[22] + x[23] + x[24] + x[25];'
offered plain "$step"
offered repeat "repeat (3) { $step }"
offered while "while (a > b) { a -= 3; $step }"
offered break "repeat (3) { if (a > b) { break; } $step }"
offered if "if (a > b) { $step }"
rm ./*.ez ./*.mpu
