/* SPDX-License-Identifier: MIT
 * Repeated measurements and how they are reported: median, least and greatest, and their spread. */
#ifndef BENCH_SAMPLE_H
#define BENCH_SAMPLE_H

#include <stddef.h>

struct json;

/* CPU time of this thread in seconds: what others do on the machine counts only as far as they
 * share its caches and memory. */
double sample_cpu_seconds(void);

/* Calls work(context) `runs` times (at most 64) after one call that is not measured; seconds[i] is
 * the time of call i. */
void sample_measure(void (*work)(void *context), void *context, size_t runs, double *seconds);

/* {"median": ..., "min": ..., "max": ..., "spread": (max - min) / median} of scale / seconds[i]
 * (rates) or, with `times`, scale * seconds[i], to four digits. */
void sample_report(struct json *json, const char *key, const double *seconds, size_t runs,
                   double scale, int times);

/* One figure to four digits. */
void sample_report_number(struct json *json, const char *key, double real);

/* Of a core's cache of data of that level, from 1; 0: unknown. */
size_t sample_cache_bytes(unsigned level);

/* Model name and caches of the processor, as far as the system tells. */
void sample_report_machine(struct json *json);

#endif
