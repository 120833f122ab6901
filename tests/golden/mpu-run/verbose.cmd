# -v says what is read, packaged and written; --out to - is text on standard output.
mpu-run -v --target racer --in a=2 --in x=1,2 --in y=iota axpy.ez --out z=z.csv --out z=- --stats csv:s.csv 2>&1 | sed "s/'s.csv': [0-9]*/'s.csv': N/"
cat z.csv
