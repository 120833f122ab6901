# The number of threads is in no result and in no statistics.
run="mpu-run --target racer --in a=2 --in x=1,2,3 --in y=4,5,6 axpy.ez --print z --stats json:stats"
$run -v >out 2>/dev/null && mv out out0 && mv stats stats0 && cat out0
for j in -vj1 "-vj 3" "-j 2 -v" "-v -j256"; do
    $run $j >out 2>/dev/null && cmp out out0 && cmp stats stats0 && echo "$j"
done
