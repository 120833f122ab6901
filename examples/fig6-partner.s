// The other end of Fig. 6's message: five MPUs, of which MPU0 runs the figure, MPU4 takes what it
// sends, and the three between have nothing to do.  The figure follows `main`, so it is linked
// behind this file:
//     mpu-run --target racer fig6-partner.s fig6.s --in RFH1.VRF1.r1=x.npy --print MPU4.RFH4.VRF2.r2
        .geometry grid=[5]
        .mpu 0, main
        .mpu 1..3, idle
        .mpu 4, partner

partner:
        RECV MPU0               // RFH1 VRF1 r1 of MPU0 comes to RFH4 VRF2 r1
        COMPUTE RFH4 VRF2
        ADD r1 r1 r2
        COMPUTE_DONE
idle:   HALT
main:
