// A dot product of up to 1,024 elements as a portable kernel, and by hand where a target does not know the form.
        .size   n <= 1024 = 1000
        .group  g[n]
        .var in  x: i32 @g = r0
        .var in  y: i32 @g = r1
        .var out z: i64 = r2 in g
        .buffer in  x: i32[n]
        .buffer in  y: i32[n]
        .buffer out z: i64
        .kernel dot stage(x: i32[], y: i32[], n: u64, z: i64[]) else fold
            length n;
            reduce (in x, in y, acc z = 0) {
                z[0] += (i64)x[0] * y[0];
            }
        .endkernel
        RECIPE  dot(x, y, n, z)
        HALT

// Each element takes in the one that lies so far behind it.
        .macro  take_in distance
        .move   from\distance u64 @g r4[i] = @g r3[i + \distance] else 0
        GMOVE   from\distance
        COMPUTEG @g
        ADD.64  r3 r4 r3
        COMPUTE_DONE
        .endm
        .move   first u64 r2 = @g r3[0] in g

        .sub    fold
        COMPUTEG @g
        SEXT.64 r0 32 r3
        SEXT.64 r1 32 r4
        MUL.64  r3 r4 r3
        COMPUTE_DONE
        take_in 512
        take_in 256
        take_in 128
        take_in 64
        take_in 32
        take_in 16
        take_in 8
        take_in 4
        take_in 2
        take_in 1
        GMOVE   first
        RETURN
        .endsub
