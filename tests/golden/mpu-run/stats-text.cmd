# Hashes and the version follow the sources.
mpu-run --target golden --in a=2 --in x=1,2,3 --in y=4,5,6 --stats text axpy.ez | sed 's/[0-9a-f]\{64\}/HASH/; s/\(version *\)[0-9.]*/\1N/'
