        COMPUTE RFH1 VRF2
        INC.8 r0 r1
        COMPUTE_DONE
