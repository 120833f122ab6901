try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
run="mpu-run --in a=2 --in x=iota --in y=zeros axpy.ez --size n=2,3 --print z"
try $run --target golden,racer --stats csv:s.csv
cut -d, -f1-6 s.csv
try $run --target racer --set array.lanes=1,64 --stats text:s.txt
cut -c1-46 s.txt
try $run --target racer --set array.lanes=1,many
try $run --target racer --set array.lanes=1,2 --set array.lanes=4
try $run --target racer --trace t.json
rm s.csv s.txt
# Checked runs whose table goes to a file say what was compared.
run="mpu-run --in a=2 --in x=iota --in y=zeros axpy.ez --size n=2,3 --target racer"
try $run --check --stats csv:s.csv
try mpu-run --in a=2 --in x=0,1 --in y=zeros axpy.ez --target racer,mimdram --check --expect z=0,2 --stats csv:s.csv
try $run --stats csv:s.csv
rm s.csv
