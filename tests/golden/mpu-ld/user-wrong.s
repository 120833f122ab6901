        .recipe "user-min3.recipe"
main:   COMPUTE RFH0 VRF0
        RECIPE MIN3.8 r1 r2 r3 else 12
        RECIPE MIN3.8 r1 r2 r3 else
        RECIPE MIN3.8 r1 r2 else main
        RECIPE MIN3.8 r1 r2 r3 else r4
        RECIPE MIN4.8 r1 r2 r3 else main
        RECIPE 3
        MIN3.65 r1 r2 r3
        MIN3 r1 r2
        COMPUTE_DONE
