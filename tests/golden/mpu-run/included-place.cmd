# What is wrong with a declaration of an included file when the program is packaged: its own line.
cat >sizes.ez <<'S'
// one line
size n <= 100;
group g[n];
S
cat >main.ez <<'S'
include "sizes.ez";
in  x: u8 @ g;
out y: u8 @ g;
main { compute g { y = x + 1; } }
S
ezpim main.ez -o main.o
mpu-run --target racer --size n=200 main.o
mpu-run --target racer --size n=2 main.o --in x=1,2,3
rm -f main.o main.ez sizes.ez
