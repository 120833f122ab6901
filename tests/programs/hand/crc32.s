// CRC-32 of a message of up to 16 bytes in every lane, as examples/crc32.ez.  A lane leaves for good
// where its message ends, so the mask only shrinks; bit 0, extended, selects the polynomial.
        .size   n
        .group  g[n]
        .var in  length: u8 @g = r0
        .var in  message: u8[16] @g = r1
        .var out crc: u32 @g = r17
        .global main

        .width  32
        .macro  byte k
        CMPGTI.8 length \k
        ANDMASK cond
        JUMP_NONE done
        XOR.8   crc message[\k] crc
        REPEAT  8
        SEXT    crc 1 r18
        SHRI    crc 1 crc
        AND     r18 r19 r18
        XOR     crc r18 crc
        REPEAT_END
        .endm

main:   COMPUTEG @g
        LI      0xEDB88320 & 0xFFF r19
        LIK1    0xEDB88320 >> 12 & 0xFFF r19
        LIK2    0xEDB88320 >> 24 r19
        LI      -1 crc
        .set    k, 0
        .rept   16
        byte    k
        .set    k, k + 1
        .endr
done:   UNMASK
        INV     crc crc
        COMPUTE_DONE
        HALT
