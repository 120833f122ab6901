// KNN: how far each place is from one; the host chooses the nearest.
struct place {
    float latitude, longitude;
};

__global__ void knn(const place *places, float *distances, int n, float latitude, float longitude) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float a = places[i].latitude - latitude, b = places[i].longitude - longitude;
        distances[i] = sqrtf(a * a + b * b);
    }
}
