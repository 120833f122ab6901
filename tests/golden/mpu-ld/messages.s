        SEND MPU4
        MOVE RFH1 RFH4
        MEMCPY r1 VRF1 r1 VRF2
        MOVE_DONE
        SEND_DONE
        SEND MPU5
        MOVE RFH1 RFH4
        MOVE_DONE
        SEND_DONE
        RECV MPU4
