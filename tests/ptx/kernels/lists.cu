// A switch over what each thread has to do, with calls of functions and arrays of a thread's own.
__device__ __noinline__ int sum_of(const int *list, int count) {
    int sum = 0;
    for (int k = 0; k < count; k++)
        sum += list[k];
    return sum;
}

__device__ __noinline__ void sort_list(int *list, int count) {
    for (int a = 1; a < count; a++) {
        int v = list[a], b = a - 1;
        for (; b >= 0 && list[b] > v; b--)
            list[b + 1] = list[b];
        list[b + 1] = v;
    }
}

__device__ int ticket; // how many lists had something to do

__global__ void lists(const int *values, const int *what, long long *out, int n, int length) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, list[16];
    if (i >= n)
        return;
    for (int k = 0; k < length; k++)
        list[k] = values[i * length + k];
    long long result;
    switch (what[i]) {
    case 0: result = sum_of(list, length); break;
    case 1:
        sort_list(list, length);
        result = list[length / 2];
        break;
    case 2: result = (long long)list[0] * list[length - 1]; break;
    case 3:
        sort_list(list, length / 2);
        result = sum_of(list + length / 4, length / 4) / 3;
        break;
    case 5: result = list[i % length] % 7; break;
    case 9:
        result = 0;
        for (int k = 0; k < length; k++) {
            if (list[k] < -900)
                break;
            if (list[k] & 1)
                continue;
            result = result * 31 + list[k];
        }
        break;
    default: out[i] = -1; return;
    }
    atomicAdd(&ticket, 1);
    out[i] = result;
}

__global__ void tickets(int *count) {
    *count = ticket;
}
