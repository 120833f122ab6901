        .group h[20]
        .move  l u8 @h r1[i] = @h r1[i - 1]
        GMOVE  l1
        GMOVE
        GMOVE  l, l
        COMPUTEG @h
        GMOVE  l
        LANE   reverse
        COMPUTE_DONE
        MOVE   RFH0 RFH1
        LANE   turn
        LANE   shift
        LANE   gather 0
        LANE   broadcast -1
        LANE   rotate 524288
        LANE   reverse 2
        MOVE_DONE
