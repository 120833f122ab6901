/* SPDX-License-Identifier: MIT
 * Devices as the tests of vectors on them open, close and ask them. */
#ifndef TESTS_RUNTIME_DEVICE_H
#define TESTS_RUNTIME_DEVICE_H

#include <mpu/mpu.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

/* The error is looked at when the call is over. */
#define fine(result, error)                                                                        \
    do {                                                                                           \
        if ((result) != MPU_OK)                                                                    \
            fail_msg("%s", mpu_error_text(error));                                                 \
    } while (0)

static inline mpu_device *open_device(const char *name, const char *const *set,
                                      const mpu_config *config, mpu_target **target) {
    mpu_error *e = NULL;
    *target = mpu_target_open(name, set, &e);
    if (!*target)
        fail_msg("%s", mpu_error_text(e));
    mpu_device *d = mpu_device_open(*target, config, &e);
    if (!d)
        fail_msg("%s", mpu_error_text(e));
    return d;
}

static inline void close_device(mpu_device *device, mpu_target *target) {
    mpu_device_close(device);
    mpu_target_close(target);
}

static inline uint64_t figure(mpu_device *device, const char *path) {
    uint64_t value = 0;
    assert_int_equal(mpu_device_figure(device, path, &value), MPU_OK);
    return value;
}

#endif
