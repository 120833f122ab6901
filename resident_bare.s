        COMPUTE RFH0 VRF0
        INC.8 r0 r1
        COMPUTE_DONE
