/* SPDX-License-Identifier: MIT
 * Random objects that pass object_check, for round trips and as seeds of mutation. */
#ifndef TESTS_OBJECT_RANDOM_OBJECT_H
#define TESTS_OBJECT_RANDOM_OBJECT_H

#include "object/object.h"

/* Depends on the seed alone. */
struct object *random_object(uint64_t seed);

#endif
