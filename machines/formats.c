/* SPDX-License-Identifier: MIT */
#include "machines/plane/link/formats.h"
#include "recipe/plane/plane.h"

const struct machine_format *machine_formats(const struct target *t) {
    return t->kind == &plane_target_kind ? plane_formats : NULL;
}
