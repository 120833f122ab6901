# What several runs of a sweep would say each: racer's recipes do not fit, at either number of MPUs.
{
    echo "main:"
    echo "  COMPUTE RFH0 VRF0"
    for width in 3 4 5 6 7 8; do
        echo "  SDIV.$width r1 r2 r3"
        echo "  FLMOD.$width r1 r2 r3"
        echo "  MAC.$width r1 r2 r3"
    done
    echo "  COMPUTE_DONE"
} >many.s
mpu-run --target racer,mimdram many.s 2>&1 >rows | sed "s/take [0-9]* templates/take N templates/" >&2
sed -n 's/^  \(racer[a-z, -]*\|mimdram\)  .*/\1/p' rows | sed 's/ *$//' >&2
rm many.s rows
