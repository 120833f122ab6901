/* SPDX-License-Identifier: MIT
 * z = a*x + y on a RACER, from C:  cc axpy.c $(pkg-config --cflags --libs mpu) && ./a.out */
#include <mpu/mpu.h>

#include <stdio.h>

#define N 1000

static int fail(mpu_error *e) {
    fprintf(stderr, "%s", mpu_error_text(e));
    mpu_error_free(e);
    return 1;
}

int main(int argc, char **argv) {
    static int32_t x[N], y[N], a = 3;
    mpu_error *e = NULL;
    mpu_target *t = mpu_target_open("racer", NULL, &e);
    mpu_program *p = t ? mpu_program_load_file(argc > 1 ? argv[1] : "axpy.ez", &e) : NULL;
    mpu_session *s = p ? mpu_session_new(p, t, NULL, &e) : NULL;
    for (int32_t i = 0; i < N; i++)
        x[i] = i, y[i] = 1000 - i;
    const mpu_array in[] = {{MPU_I32, 0, {0}, &a}, {MPU_I32, 1, {N}, x}, {MPU_I32, 1, {N}, y}};
    mpu_array z;
    uint64_t ps = 0;
    if (!s || mpu_session_put(s, "a", &in[0], &e) || mpu_session_put(s, "x", &in[1], &e) ||
        mpu_session_put(s, "y", &in[2], &e) || mpu_session_run(s, &e) ||
        mpu_session_get(s, "z", &z, &e))
        return fail(e);
    mpu_session_figure(s, "total.time_ps", &ps);
    printf("z[999] = %d after %llu ps\n", ((int32_t *)z.data)[999], (unsigned long long)ps);
    mpu_array_free(&z);
    mpu_session_free(s);
    mpu_program_free(p);
    mpu_target_close(t);
    return 0;
}
