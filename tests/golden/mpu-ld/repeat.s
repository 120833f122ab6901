        GOTO inside
        REPEAT 3
inside: NOP
        REPEAT_END
        COMPUTE RFH0 VRF0
        JUMP_COND out
        COMPUTE_DONE
out:    HALT
