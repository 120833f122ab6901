        SEND MPU0
        NOP
        SEND_DONE
        SEND MPU+1
        MOVE RFH1 RFH4
        MEMCPY r1 VRF1 r1 VRF2
        MOVE_DONE
        NOP
        SEND_DONE
        SEND MPU0
        MOVE RFH1 RFH4
        SEND_DONE
        MOVE_DONE
        COMPUTE RFH0 VRF0
        RECV MPU0
        COMPUTE_DONE
        MOVE RFH0 RFH0
        RECV MPU-1
        MOVE_DONE
        .sub half
        SEND MPU0
        MOVE RFH0 RFH0
        MOVE_DONE
        SEND_DONE
        RETURN
        .endsub
