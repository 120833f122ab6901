/* SPDX-License-Identifier: MIT
 * How many of 100,000 numbers are above their mean, by vectors that stay on the machine:
 * cc vectors.c $(pkg-config --cflags --libs mpu) && ./a.out mimdram */
#include <mpu/mpu.h>

#include <stdio.h>

#define N 100000

static int fail(mpu_error *e) {
    fprintf(stderr, "%s", mpu_error_text(e));
    mpu_error_free(e);
    return 1;
}

int main(int argc, char **argv) {
    static int32_t x[N];
    const mpu_vtype i32 = {MPU_KIND_INT, 32}, i64 = {MPU_KIND_INT, 64};
    mpu_error *e = NULL;
    int64_t sum = 0;
    int32_t above = 0;
    uint64_t ps = 0;
    for (int32_t i = 0; i < N; i++)
        x[i] = (int32_t)((int64_t)i * i % 1009);
    mpu_target *t = mpu_target_open(argc > 1 ? argv[1] : "racer", NULL, &e);
    mpu_device *d = t ? mpu_device_open(t, NULL, &e) : NULL;
    mpu_vector *v = d ? mpu_vector_new(d, i32, N, &e) : NULL;
    mpu_vector *total =
        v && !mpu_vector_put(v, 0, N, x, &e) ? mpu_fold(v, MPU_OP_ADD, i64, 0, N, N, &e) : NULL;
    if (!total || mpu_vector_get(total, 0, 1, &sum, &e))
        return fail(e);
    const mpu_operand operands[] = {{v, 0}, {NULL, (uint64_t)(sum / N)}};
    mpu_vector *more = mpu_apply(d, MPU_OP_GT, i32, N, operands, 2, &e);
    mpu_vector *count = more ? mpu_fold(more, MPU_OP_ADD, i32, 0, N, N, &e) : NULL;
    if (!count || mpu_vector_get(count, 0, 1, &above, &e))
        return fail(e);
    mpu_device_figure(d, "total.end_to_end_time_ps", &ps);
    printf("%d of %d are above %lld, after %llu ps\n", above, N, (long long)(sum / N),
           (unsigned long long)ps);
    mpu_device_close(d); /* and with it what the vectors held */
    mpu_vector *all[] = {v, total, more, count};
    for (int i = 0; i < 4; i++)
        mpu_vector_release(all[i]);
    mpu_target_close(t);
    return 0;
}
