// Accelerations of bodies (x, y, z, mass) by all others; blocks of them pass through shared memory, of
// which the launch says how much there is.
__global__ void nbody(const float4 *bodies, float4 *accelerations, int n, float softening) {
    extern __shared__ float4 tile[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 me = i < n ? bodies[i] : make_float4(0, 0, 0, 0);
    float ax = 0, ay = 0, az = 0;
    for (int from = 0; from < n; from += blockDim.x) {
        int j = from + threadIdx.x;
        tile[threadIdx.x] = j < n ? bodies[j] : make_float4(0, 0, 0, 0);
        __syncthreads();
        for (int k = 0; k < blockDim.x; k++) {
            float4 b = tile[k];
            float dx = b.x - me.x, dy = b.y - me.y, dz = b.z - me.z;
            float r = rsqrtf(dx * dx + dy * dy + dz * dz + softening);
            float pull = b.w * r * r * r;
            ax += pull * dx;
            ay += pull * dy;
            az += pull * dz;
        }
        __syncthreads();
    }
    if (i < n)
        accelerations[i] = make_float4(ax, ay, az, 0);
}
