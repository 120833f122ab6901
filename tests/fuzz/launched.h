/* SPDX-License-Identifier: MIT
 * What must hold of programs that launch kernels on the toy core. */
#ifndef TESTS_FUZZ_LAUNCHED_H
#define TESTS_FUZZ_LAUNCHED_H

#include "linker/linker.h"
#include "linker/package.h"
#include "tests/fuzz/harness.h"

#define LAUNCHED_TARGET MPU_SOURCE_DIR "/tests/machines/core/core.yaml"

/* The core with its library; opened once and kept to the end. */
const struct machine_library *launched_library(void);
/* Every launch of a package that may be used is one that the machine can carry out: its extents,
 * units, and where its buffers begin. */
void launched_check_package(const struct object *program, const struct package *package);
/* An object, with all of its sizes 3: it is linked and packaged, and the package is the same when
 * it is read; or there was a message. */
void launched_check(const struct object *object);

#endif
