// Run lengths of up to 1,024 bytes as a portable kernel: the last element of each run of equal ones, without the last run;
// and by hand where a target does not know the form.
        .size   n <= 1024 = 1000
        .group  g[n]
        .var in  x: u8 @g = r0
        .var out last: u8 @g = r1
        .var out runs: u32 = r2 in g
        .buffer in  x: u8[n]
        .buffer out last: u8[n]
        .buffer out runs: u32
        .kernel ends stage(x: u8[], last: u8[], runs: u32[], n: u64) else compact
            length n;
            window 2 filter (in x, out last from x, count runs) {
                return x[0] != x[1];
            }
        .endkernel
        RECIPE  ends(x, last, runs, n)
        HALT

        .move   next u8 @g r3[i] = @g r0[i + 1]             // the last element is its own next one
        .move   put u8 @g r1[@g r7: u32[i]] = @g r0[i]
        .move   all u32 r2 = @g r4[n - 1] in g
// Each element takes in the one that lies so far in front of it.
        .macro  take_in d
        .move   from\d u32 @g r5[i] = @g r4[i - \d] else 0
        GMOVE   from\d
        COMPUTEG @g
        ADD.32  r4 r5 r4
        COMPUTE_DONE
        .endm

        .sub    compact
        COMPUTEG @g
        LI.8    0 r1
        MOV.8   r0 r3
        COMPUTE_DONE
        GMOVE   next
        COMPUTEG @g
        CMPNE.8 r0 r3
        GETC.32 r4                  // whether a run ends here
        MOV.32  r4 r7
        COMPUTE_DONE
        take_in 1
        take_in 2
        take_in 4
        take_in 8
        take_in 16
        take_in 32
        take_in 64
        take_in 128
        take_in 256
        take_in 512
        COMPUTEG @g
        SUB.32  r4 r7 r6            // as many end in front of it; beyond the array if none ends here
        LI.32   2000 r5
        SEL.32  r6 r5 r7
        COMPUTE_DONE
        GMOVE   put
        GMOVE   all
        RETURN
        .endsub
