/* SPDX-License-Identifier: MIT
 * Whether a text is one JSON value (RFC 8259), told by a reader of its own. */
#ifndef TESTS_OBSERVE_JSON_CHECK_H
#define TESTS_OBSERVE_JSON_CHECK_H

#include <stdbool.h>
#include <stddef.h>

bool json_is_valid(const char *text, size_t size);

#endif
