# -D sets a constant of a source, --entry says where it begins; what is compiled has both.
cat >add.ez <<'EOF'
const K: i32 = 3;
group g[4];
in  x: i32 @ g;
out y: i32 @ g;
main { compute g { y = x + K; } }
EOF
mpu-run --target golden --in x=iota --print y add.ez
mpu-run --target golden -D K=100 --in x=iota --print y add.ez
mpu-run --target golden -D 9K=100 --in x=iota --print y add.ez
mpu-run --target golden --entry nowhere --in x=iota --print y add.ez
ezpim -D K=-1 -o add.mpu add.ez
mpu-run --target golden --in x=iota --print y add.mpu
mpu-run --target golden -D K=5 --in x=iota --print y add.mpu
