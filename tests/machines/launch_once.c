/* SPDX-License-Identifier: MIT
 * One launch by libmpu in C, for a test that does the same in every other way:
 *   launch_once TARGET TEXT GRID BLOCK A X..   y = 0 in a buffer of as many elements, add(x, y, A)
 * prints y, an element a line, and then the device's statistics as JSON. */
#include <mpu/mpu.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 256, ADD_A = 5, ADD_X };

static int fail(mpu_error *error) {
    fprintf(stderr, "%s\n", mpu_error_text(error));
    mpu_error_free(error);
    return 1;
}

int main(int argc, char **argv) {
    static char text[1 << 16];
    int64_t x[MOST], y[MOST];
    mpu_error *e = NULL;
    if (argc <= ADD_X || argc - ADD_X > MOST)
        return 2;
    FILE *file = fopen(argv[2], "rb");
    const size_t size = file ? fread(text, 1, sizeof text, file) : 0;
    if (!file || fclose(file) != 0)
        return 2;
    const uint64_t n = (uint64_t)(argc - ADD_X);
    for (uint64_t i = 0; i < n; i++)
        x[i] = strtoll(argv[ADD_X + i], NULL, 10);
    mpu_target *target = mpu_target_open(argv[1], NULL, &e);
    mpu_device *device = target ? mpu_device_open(target, NULL, &e) : NULL;
    mpu_module *module =
        device ? mpu_module_load(device, "core", "toy.core", text, size, &e) : NULL;
    mpu_kernel *add = module ? mpu_module_kernel(module, "add", &e) : NULL;
    mpu_buffer *from = add ? mpu_kernel_buffer_new(add, 0, 1, &n, &e) : NULL;
    mpu_buffer *to = from ? mpu_kernel_buffer_new(add, 1, 1, &n, &e) : NULL;
    const uint32_t grid[] = {(uint32_t)atoi(argv[3]), 1, 1},
                   block[] = {(uint32_t)atoi(argv[4]), 1, 1};
    const int64_t a = strtoll(argv[ADD_A], NULL, 10);
    char *stats = NULL;
    if (!to || mpu_buffer_put(from, MPU_ALL_UNITS, 0, 8 * n, x, &e) != MPU_OK ||
        mpu_launch(add, grid, block, 0,
                   (mpu_argument[]){{from, 0, NULL}, {to, 0, NULL}, {NULL, (uint64_t)a, NULL}}, 3,
                   &e) != MPU_OK ||
        mpu_buffer_get(to, MPU_ALL_UNITS, 0, 8 * n, y, &e) != MPU_OK ||
        !(stats = mpu_device_stats(device, "json", &e)))
        return fail(e);
    for (uint64_t i = 0; i < n; i++)
        printf("%" PRId64 "\n", y[i]);
    printf("%s", stats);
    mpu_string_free(stats);
    mpu_device_close(device);
    return 0;
}
