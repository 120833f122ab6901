# What a filter keeps and a reduction gathers comes together on the host; energies and times of the
# kernel's parts are those of the kernel.
try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
cat >odd.s <<'S'
        .buffer in x: i32[6000]
        .buffer out odd: i32[6000]
        .buffer out kept: u32
        .buffer out sum: i64
        .kernel odd stage(x: i32[], odd: i32[], kept: u32[], sum: i64[])
            length 6000;
            filter (in x, out odd from x, count kept) { return x[0] % 2 == 1; }
            reduce (in odd, acc sum = 0) { sum[0] += odd[0]; }
        .endkernel
        RECIPE  odd(x, odd, kept, sum) units 100
        HALT
S
try mpu-run --target upmem odd.s --in x=iota --print odd[0:4] --print kept --print sum --stats=csv:figures --check
try mpu-run --target upmem odd.s --in x=iota --log=insn:log
sed "s/^\( *2  *\)[0-9]*/\1TIME/" log
awk -F, 'function is(name) { return $1 ~ name }
    is("^total.energy_fj") { energy = $2 }
    is("^total.time_ps") { time = $2 }
    is("by_component.*component") { name = $2; outside = name ~ /^(load|host|transpose)$/ }
    is("by_component.*energy_fj") && !outside { energies += $2; if (name == "transfer") link = $2 }
    is("by_component.*time_ps") && !outside { times += $2 }
    END {
        print "energy " (energies == energy ? "adds up" : "does not add up: " energies " " energy)
        print "time " (times == time ? "adds up" : "does not add up: " times " " time)
        print "the link has " (link > 0 ? "some" : "none") " of it"
    }' figures
