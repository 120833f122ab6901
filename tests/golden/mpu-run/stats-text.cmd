# Hashes and the version follow the sources.
mpu-run --target golden --in a=2 --in x=1,2,3 --in y=4,5,6 --stats text:full axpy.ez | sed 's/[0-9a-f]\{64\}/HASH/; s/\(version *\)[0-9.]*/\1N/'
echo
mpu-run --target golden --in a=2 --in x=1,2,3 --in y=4,5,6 --stats text axpy.ez
mpu-run --target golden --in a=2 --in x=1,2,3 --in y=4,5,6 --stats text:full:f.txt axpy.ez
mpu-run --target golden --in a=2 --in x=1,2,3 --in y=4,5,6 --stats text:./full axpy.ez
wc -l <full
rm full f.txt
