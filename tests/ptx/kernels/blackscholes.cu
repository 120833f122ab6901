// Prices of European options.
__device__ float normal(float d) {
    float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
    float p = 1.330274429f;
    p = p * k - 1.821255978f;
    p = p * k + 1.781477937f;
    p = p * k - 0.356563782f;
    p = p * k + 0.319381530f;
    float tail = 0.39894228f * expf(-0.5f * d * d) * p * k;
    return d > 0 ? 1.0f - tail : tail;
}

__global__ void blackscholes(const float *price, const float *strike, const float *years, float *call,
                             float *put, float rate, float volatility, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float s = price[i], x = strike[i], t = years[i], root = sqrtf(t);
        float d1 = (logf(s / x) + (rate + 0.5f * volatility * volatility) * t) / (volatility * root);
        float d2 = d1 - volatility * root, discounted = x * expf(-rate * t);
        float n1 = normal(d1), n2 = normal(d2);
        call[i] = s * n1 - discounted * n2;
        put[i] = discounted * (1.0f - n2) - s * (1.0f - n1);
    }
}
