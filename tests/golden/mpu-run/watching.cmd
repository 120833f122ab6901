# Logs without their times, which follow the model; what --trace, --log and --uops refuse.
try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
without_times() { sed 's/^\( *[0-9]* \) *[0-9]* /\1 T /'; }
run="mpu-run --target racer --size n=2 --in a=1 --in x=1,2 --in y=3,4 axpy.ez"
$run --log=insn 2>&1 | without_times
$run --log=insn,uop:l.txt --log-from 3 --log-count 1 && without_times <l.txt | head -n 3
$run --uops -:csv --log-from 3 --log-count 1 >u.csv && sed 's/^3,\*,[0-9]*/3,*,T/' u.csv | head -n 3
mpu-run --target mimdram --size n=2 --in a=1 --in x=1,2 --in y=3,4 axpy.ez --uops d.csv:dram \
    --log-from 3 --log-count 1 && sed 's/^3,\*,[0-9]*/3,*,T/' d.csv | head -n 4
try $run -v --trace t.json 2>&1 | grep -o "wrote 't.json'"
try $run --trace no/t.json
try $run --log=insns
try $run --log=insn:
try $run --log=insn --log=uop
try $run --uops u.csv
try $run --uops u.csv:xml
try $run --uops u.csv:pypim
try $run --uops u.csv:dram
try $run --uops u.csv:csv --engine golden
try $run --log-from 3
try $run --trace t.json --target golden
$run --stats-every 1000000:e.csv && sed 's/[0-9][0-9]*/N/g' e.csv
try $run --stats-every 0
try $run --stats-every 5:
try $run --stats-every 5 --stats-every 6
try $run --stats-every 5 --engine golden
try $run --stats-every 5 --set array.lanes=1,2
