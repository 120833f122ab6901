        .signature f in r0: u32, r0: u8
        .signature g in r0 u32
        .signature h out r64: u32
        .signature i in r0: u65
        .signature j clobber r1 r2
        .signature k in r1: u8 clobber r2
        .signature k out r1: u8
        .signature m out r1: u8 in r2: u8
        .sub k
        RETURN
        .endsub
