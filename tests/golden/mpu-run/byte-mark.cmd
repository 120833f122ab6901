# A byte order mark at the head of a text is no part of it, and moves no place in a message.
mark() { printf '\357\273\277' | cat - "$1" >"$2"; }
run="mpu-run --target racer --in a=1 --in x=x.csv --in y=1,1"
echo 1,2 >x.txt && mark x.txt x.csv
mark axpy.ez m.ez && $run --print z m.ez
$run --print z - <m.ez
printf 'def k(x: i32[2]):\n    return x + 1\n' >k.py && mark k.py m.py
mpu-run --target racer --in x=1,2 --stats csv m.py | head -n 1
echo 'size n' >bad.ez && mark bad.ez m.ez && $run m.ez
echo '--print z' >words && mark words args && $run @args axpy.ez
printf 'extends: racer\nname: mine\n' >t && mark t t.yaml && mpu-run --print-target t.yaml | head -n 1
$run --stats json:r.json axpy.ez && mark r.json m.json && mpu-run --rerun m.json
rm -f x.txt x.csv k.py bad.ez m.ez m.py words args t t.yaml r.json m.json
