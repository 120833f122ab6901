/* SPDX-License-Identifier: MIT */
#include "bench/sample.h"
#include "support/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MAX_RUNS 64

double sample_cpu_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void sample_measure(void (*work)(void *context), void *context, size_t runs, double *seconds) {
    work(context);
    for (size_t i = 0; i < runs; i++) {
        double start = sample_cpu_seconds();
        work(context);
        seconds[i] = sample_cpu_seconds() - start;
    }
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double four_digits(double x) {
    char text[32];
    snprintf(text, sizeof text, "%.3e", x);
    return strtod(text, NULL);
}

void sample_report_number(struct json *j, const char *key, double x) {
    json_double(j, key, four_digits(x));
}

void sample_report(struct json *j, const char *key, const double *seconds, size_t runs,
                   double scale, int times) {
    double v[MAX_RUNS];
    runs = runs < MAX_RUNS ? runs : MAX_RUNS;
    for (size_t i = 0; i < runs; i++)
        v[i] = times ? scale * seconds[i] : scale / seconds[i];
    qsort(v, runs, sizeof *v, by_size);
    double median = runs % 2 ? v[runs / 2] : (v[runs / 2 - 1] + v[runs / 2]) / 2;
    json_object_begin(j, key);
    json_double(j, "median", four_digits(median));
    json_double(j, "min", four_digits(v[0]));
    json_double(j, "max", four_digits(v[runs - 1]));
    json_double(j, "spread", four_digits((v[runs - 1] - v[0]) / median));
    json_object_end(j);
}

/* The value of the first line "key : value" of /proc/cpuinfo. */
static void report_model(struct json *j) {
    FILE *f = fopen("/proc/cpuinfo", "r");
    char line[256];
    while (f && fgets(line, sizeof line, f)) {
        char *value = strncmp(line, "model name", 10) == 0 ? strchr(line, ':') : NULL;
        if (!value)
            continue;
        value[strcspn(value, "\n")] = '\0';
        json_string(j, "cpu", value + 2);
        break;
    }
    if (f)
        fclose(f);
}

static void report_cache(struct json *j, const char *key, int name) {
    long bytes = sysconf(name);
    if (bytes > 0)
        json_u64(j, key, (uint64_t)bytes);
}

void sample_report_machine(struct json *j) {
    json_object_begin(j, "machine");
    report_model(j);
    json_u64(j, "cores", (uint64_t)sysconf(_SC_NPROCESSORS_ONLN));
#ifdef _SC_LEVEL1_DCACHE_SIZE
    report_cache(j, "l1d_bytes", _SC_LEVEL1_DCACHE_SIZE);
    report_cache(j, "l2_bytes", _SC_LEVEL2_CACHE_SIZE);
    report_cache(j, "l3_bytes", _SC_LEVEL3_CACHE_SIZE);
#endif
    json_object_end(j);
}
