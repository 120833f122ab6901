/* SPDX-License-Identifier: MIT
 * From a time on until before another one. */
#ifndef SUPPORT_TIME_SPAN_H
#define SUPPORT_TIME_SPAN_H

#include <stdint.h>

struct time_span {
    uint64_t begin_ps, end_ps;
};

#endif
