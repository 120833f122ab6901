#!/bin/sh
# SPDX-License-Identifier: MIT
# A build's steps become a few lines, everything else is shown, and the status is the command's.
#   progress.sh PROGRESS OUT
set -u
progress=$1
out=$2
mkdir -p "$out"

# expect NAME STATUS: of the build in $out/NAME.build; what it shows is on standard input.
expect() {
    cat >"$out/$1.want"
    sh "$progress" sh "$out/$1.build" >"$out/$1.got"
    status=$?
    if [ $status != "$2" ] || ! cmp -s "$out/$1.want" "$out/$1.got"; then
        echo "progress: $1: exit $status, not $2, or another text:"
        diff "$out/$1.want" "$out/$1.got"
        exit 1
    fi
}

cat >"$out/ninja.build" <<'BUILD'
echo '[0/2] Re-checking globbed directories...'
echo '[1/1] Re-running CMake...'
echo '-- Configuring done (0.9s)'
i=0
while [ $i -lt 200 ]; do
    i=$((i + 1))
    echo "[$i/200] Building C object some/CMakeFiles/lib.dir/folder/file$i.c.o"
done
BUILD
expect ninja 0 <<'WANT'
building:  25 %
building:  50 %
building:  75 %
building: 100 %
WANT

# The compiler's lines come whole, blanks and backslashes too, from both outputs.
cat >"$out/failing.build" <<'BUILD'
echo '[1/3] Building C object some/CMakeFiles/lib.dir/a.c.o'
echo '[2/3] Building C object some/CMakeFiles/lib.dir/b.c.o'
echo 'FAILED: some/CMakeFiles/lib.dir/b.c.o '
echo 'cc -DNAME=\"b\" -c b.c'
printf '%s\n' 'b.c:1:2: error: expected a \n' >&2
echo '      x  '
echo 'ninja: build stopped: subcommand failed.'
exit 7
BUILD
expect failing 7 <<'WANT'
building:  33 %
building:  66 %
FAILED: some/CMakeFiles/lib.dir/b.c.o 
cc -DNAME=\"b\" -c b.c
b.c:1:2: error: expected a \n
      x  
ninja: build stopped: subcommand failed.
WANT

cat >"$out/make.build" <<'BUILD'
echo 'Consolidate compiler generated dependencies of target lib'
echo '[  4%] Building C object some/CMakeFiles/lib.dir/a.c.o'
echo '[ 50%] Building C object some/CMakeFiles/lib.dir/b.c.o'
echo 'b.c:1:2: warning: something'
echo '[100%] Built target lib'
BUILD
expect make 0 <<'WANT'
building:  50 %
b.c:1:2: warning: something
building: 100 %
WANT

echo "echo 'ninja: no work to do.'" >"$out/nothing.build"
expect nothing 0 </dev/null
