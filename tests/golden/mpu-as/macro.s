        .macro shift reg, by
        SHLI \reg \by \reg
        .endm
        shift r1, 64
        shift r1
