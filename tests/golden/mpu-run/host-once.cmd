# A variable goes over the host's link once a run, whatever asks for it.
run="mpu-run --target racer --in a=2 --in x=1,2 --in y=3,4 axpy.ez --stats csv"
for ask in "" "--out z=z.npy" "--print z" "--expect z=5,8" \
    "--out z=z.npy --out z=z.csv --print z --expect z=5,8" "--print z --print a"; do
    echo "[$ask]"
    $run $ask | grep '^host\.\(gets\|bytes_out\)'
done
