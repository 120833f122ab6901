        .geometry grid=[2]
        .size m
        .group h[m] per mpu
        .var in u: u8 @h = r0
        .var out v: u8 @h = r1
        COMPUTEG @h
        INC.8 r0 r1
        COMPUTE_DONE
