        .geometry grid=[3]
        .group g[4] per mpu
        COMPUTEG @g
        INC.8 r0 r0
        COMPUTE_DONE
