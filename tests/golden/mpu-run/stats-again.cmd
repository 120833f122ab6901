# The same run gives the same bytes, on standard output and in a file.
run="mpu-run --target racer --in a=2 --in x=1,2,3 --in y=4,5,6 axpy.ez"
for f in text json csv; do
    $run --stats $f >one && $run --stats $f >two && cmp one two && [ -s one ] && echo "$f"
done
