# A loop whose laps are data stays a loop; what the host transfers stands above the code.
cat >halves.s <<'S'
        .buffer in x: u8[100]
        .buffer out n: u8[100]
        .kernel halves stage(x: u8[], n: u8[])
            length 100;
            map (in x, out n) {
                u8 v = x[0];
                while (v > 3) { v /= 2; n[0]++; }
            }
        .endkernel
        RECIPE  halves(x, n)
        HALT
S
mpu-as halves.s
mpu-ld --target upmem halves.o
mpu-objdump --recipes halves.mpu
