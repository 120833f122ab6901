// A histogram of up to 1,024 bytes in 16 bins as a portable kernel, and by hand where a target does not know the form.
        .size   n <= 1024 = 1000
        .group  g[n]
        .var in  x: u8 @g = r0
        .var out bins: u32[16] = r2 in g
        .buffer in  x: u8[n]
        .buffer out bins: u32[16]
        .kernel histogram stage(x: u8[], bins: u32[], n: u64) else count
            length n;
            reduce (in x, acc bins[16] = 0) {
                bins[x[0] >> 4]++;
            }
        .endkernel
        RECIPE  histogram(x, bins, n)
        HALT

// Each element takes in the one that lies so far behind it.
        .macro  distance d
        .move   from\d u32 @g r22[i] = @g r21[i + \d] else 0
        .endm
        distance 512
        distance 256
        distance 128
        distance 64
        distance 32
        distance 16
        distance 8
        distance 4
        distance 2
        distance 1
        .macro  take_in d
        GMOVE   from\d
        COMPUTEG @g
        ADD.32  r21 r22 r21
        COMPUTE_DONE
        .endm
// How many elements have that number in the upper half of their byte.
        .macro  bin number, reg
        .move   to\number u32 \reg = @g r21[0] in g
        COMPUTEG @g
        LI.8    \number r19
        CMPEQ.8 r18 r19
        GETC.32 r21
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
        GMOVE   to\number
        .endm

        .sub    count
        COMPUTEG @g
        LI.8    4 r19
        SHR.8   r0 r19 r18
        COMPUTE_DONE
        bin 0 r2
        bin 1 r3
        bin 2 r4
        bin 3 r5
        bin 4 r6
        bin 5 r7
        bin 6 r8
        bin 7 r9
        bin 8 r10
        bin 9 r11
        bin 10 r12
        bin 11 r13
        bin 12 r14
        bin 13 r15
        bin 14 r16
        bin 15 r17
        RETURN
        .endsub
