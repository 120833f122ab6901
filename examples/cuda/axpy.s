// y = 3 x + y, launched as PTX where the target knows that, and in MPU instructions where it does not:
//     mpu-run --target golden axpy.s --size n=1000 --in x=iota --in y=iota --print y
//     mpu-run --target racer  axpy.s --size n=1000 --in x=iota --in y=iota --print y
        .size   n <= 4096 = 1000
        .group  g[n]
        .var in    x: i32 @g = r0
        .var inout y: i32 @g = r1
        .buffer in    x: i32[n]
        .buffer inout y: i32[n]
        .kernel axpy ptx(x: i32[], y: i32[], a: i32, n: u32) else lanes
.version 6.3
.target sm_75
.address_size 64
.visible .entry axpy(.param .u64 x, .param .u64 y, .param .u32 a, .param .u32 n)
{
        .reg .pred  %p<2>;
        .reg .b32   %r<9>;
        .reg .b64   %rd<8>;
        mov.u32     %r1, %ctaid.x;
        mov.u32     %r2, %ntid.x;
        mov.u32     %r3, %tid.x;
        mad.lo.s32  %r4, %r1, %r2, %r3;
        ld.param.u32 %r5, [n];
        setp.ge.u32 %p1, %r4, %r5;
        @%p1 bra    DONE;
        ld.param.u64 %rd1, [x];
        ld.param.u64 %rd2, [y];
        mul.wide.u32 %rd3, %r4, 4;
        add.s64     %rd4, %rd1, %rd3;
        add.s64     %rd5, %rd2, %rd3;
        ld.global.u32 %r6, [%rd4];
        ld.global.u32 %r7, [%rd5];
        ld.param.u32 %r8, [a];
        mad.lo.s32  %r6, %r6, %r8, %r7;
        st.global.u32 [%rd5], %r6;
DONE:
        ret;
}
        .endkernel
        RECIPE  axpy<<<(n + 255) / 256, 256>>>(x, y, 3, n)
        HALT

        .sub    lanes
        COMPUTEG @g
        ADD.32  r0 r0 r2
        ADD.32  r2 r0 r2
        ADD.32  r2 r1 r1
        COMPUTE_DONE
        RETURN
        .endsub
