        .kernel f toy(n: u64) in m
        COMPUTE rfh0 vrf0
        COMPUTE_DONE
