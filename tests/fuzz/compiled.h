/* SPDX-License-Identifier: MIT
 * What must hold of an object that a front end has made, or did not make. */
#ifndef TESTS_FUZZ_COMPILED_H
#define TESTS_FUZZ_COMPILED_H

#include "object/object.h"
#include "tests/fuzz/harness.h"

/* It is there if and only if no error was said; it is valid, written and read again it gives the
 * same bytes, and so it does disassembled and assembled.  Releases both. */
void compiled_check(struct object *object, struct diag *diag);
/* The same of an object that somebody else may have written, in an order of his own:
 * disassembled it is refused or assembled, and what was assembled is as above.  Nothing is
 * released. */
void compiled_check_foreign(const struct object *object);

#endif
