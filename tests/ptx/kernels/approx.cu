// The machine's approximations, functions of the header, roundings, and half precision.
__global__ void approx(const float *x, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float v = x[i], a = fabsf(v) + 0.125f;
    out[0 * n + i] = __expf(v * 0.25f);
    out[1 * n + i] = __logf(a);
    out[2 * n + i] = __sinf(v);
    out[3 * n + i] = __cosf(v);
    out[4 * n + i] = __fdividef(v, a);
    out[5 * n + i] = rsqrtf(a);
    out[6 * n + i] = __saturatef(v);
    out[7 * n + i] = __powf(a, 1.5f);
}

__global__ void functions(const float *x, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float v = x[i], a = fabsf(v) + 0.125f;
    out[0 * n + i] = expf(v);
    out[1 * n + i] = logf(a);
    out[2 * n + i] = powf(a, v);
    out[3 * n + i] = sinf(v * 100.0f);
    out[4 * n + i] = cosf(v * 1e6f);
    out[5 * n + i] = tanhf(v);
    out[6 * n + i] = fmodf(v * 1000.0f, a);
    out[7 * n + i] = rintf(v);
    out[8 * n + i] = atan2f(v, 1.0f - v);
    out[9 * n + i] = cbrtf(v);
}

__global__ void rounded(const float *x, const float *y, float *out, int *whole, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    out[0 * n + i] = __fadd_rz(x[i], y[i]);
    out[1 * n + i] = __fmul_ru(x[i], y[i]);
    out[2 * n + i] = __fmaf_rd(x[i], y[i], x[i]);
    out[3 * n + i] = floorf(x[i]) + ceilf(y[i]) + truncf(x[i]);
    whole[0 * n + i] = __float2int_rn(x[i]);
    whole[1 * n + i] = __float2int_rd(x[i]);
    whole[2 * n + i] = (int)x[i];
    whole[3 * n + i] = __clz(__float_as_int(x[i])) + __popc(__brev(i)) + __umulhi(i * 77777777u, 99999u);
}

__global__ void halves(const float *x, const float *y, unsigned short *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    __half a = __float2half(x[i]), b = __float2half(y[i]);
    out[0 * n + i] = __half_as_ushort(__hadd(a, b));
    out[1 * n + i] = __half_as_ushort(__hmul(a, b));
    out[2 * n + i] = __half_as_ushort(__hfma(a, b, a));
    out[3 * n + i] = __half_as_ushort(__float2half(__half2float(a) * 0.3f));
}
