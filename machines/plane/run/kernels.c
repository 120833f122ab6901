/* SPDX-License-Identifier: MIT
 * Tables of kernels by function, and the widest that the processor has. */
#include "machines/plane/run/kernels.h"

#include <stdbool.h>

const uint8_t plane_order[256][3] = {
#define PLANE_AS(number, kernel, x, y, z) {x, y, z},
#include "plane_functions.h"
#undef PLANE_AS
};

const struct plane_formula plane_formulas[256] = {
#define PLANE_FORMULA(form, left, right) {PLANE_FORM_##form, left, right},
#include "plane_functions.h"
#undef PLANE_FORMULA
};

extern const struct plane_kernels plane_kernels_base;

#if defined(__x86_64__)
extern const struct plane_kernels plane_kernels_avx2, plane_kernels_avx512;

const struct plane_kernels *const *plane_kernels_all(size_t *count) {
    static const struct plane_kernels *const all[] = {&plane_kernels_base, &plane_kernels_avx2,
                                                      &plane_kernels_avx512};
    bool avx2 = __builtin_cpu_supports("avx2");
    *count = !avx2 ? 1 : !__builtin_cpu_supports("avx512f") ? 2 : 3;
    return all;
}
#else
const struct plane_kernels *const *plane_kernels_all(size_t *count) {
    static const struct plane_kernels *const all[] = {&plane_kernels_base};
    *count = 1;
    return all;
}
#endif

const struct plane_kernels *plane_kernels_widest(void) {
    size_t count;
    const struct plane_kernels *const *all = plane_kernels_all(&count);
    return all[count - 1];
}
