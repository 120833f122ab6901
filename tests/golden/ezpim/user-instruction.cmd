ezpim "$EXAMPLES/average.ez" -o average.mpu
mpu-objdump -d average.mpu | grep AVG
printf '0 255 7 200 9\n' | tr ' ' '\n' >x.txt
printf '1 255 8 100 3\n' | tr ' ' '\n' >y.txt
for target in racer mimdram duality-cache; do
    mpu-run -Wno-unproved --target "$target" --check average.mpu --in x=x.txt --in y=y.txt --out mean=mean.txt >/dev/null
    tr "\n" " " <mean.txt
    echo "on $target"
done
