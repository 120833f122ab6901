/* SPDX-License-Identifier: MIT
 * Measurements of work that is done again and again; figures are written with four digits. */
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

static int by_size(const void *left, const void *right) {
    double x = *(const double *)left, y = *(const double *)right;
    return (x > y) - (x < y);
}

static double four_digits(double real) {
    char text[32];
    snprintf(text, sizeof text, "%.3e", real);
    return strtod(text, NULL);
}

void sample_report_number(struct json *json, const char *key, double real) {
    json_double(json, key, four_digits(real));
}

void sample_report(struct json *json, const char *key, const double *seconds, size_t runs,
                   double scale, int times) {
    double v[MAX_RUNS];
    runs = runs < MAX_RUNS ? runs : MAX_RUNS;
    for (size_t i = 0; i < runs; i++)
        v[i] = times ? scale * seconds[i] : scale / seconds[i];
    qsort(v, runs, sizeof *v, by_size);
    double median = runs % 2 ? v[runs / 2] : (v[runs / 2 - 1] + v[runs / 2]) / 2;
    json_object_begin(json, key);
    json_double(json, "median", four_digits(median));
    json_double(json, "min", four_digits(v[0]));
    json_double(json, "max", four_digits(v[runs - 1]));
    json_double(json, "spread", four_digits((v[runs - 1] - v[0]) / median));
    json_object_end(json);
}

/* The value of the first line "key : value" of /proc/cpuinfo. */
static void report_model(struct json *json) {
    FILE *f = fopen("/proc/cpuinfo", "r");
    char line[256];
    while (f && fgets(line, sizeof line, f)) {
        char *value = strncmp(line, "model name", 10) == 0 ? strchr(line, ':') : NULL;
        if (!value)
            continue;
        value[strcspn(value, "\n")] = '\0';
        json_string(json, "cpu", value + 2);
        break;
    }
    if (f)
        fclose(f);
}

/* As the kernel lists them, four at most, sizes in kB; what the processor itself says of caches
 * that cores share can be several times as much in a virtual machine. */
size_t sample_cache_bytes(unsigned level) {
    size_t found = 0;
    for (unsigned i = 0; i < 4; i++) {
        char path[96], kind[32];
        unsigned long kb = 0, its_level = 0;
        static const char *const names[] = {"level", "size", "type"};
        for (unsigned what = 0; what < 3; what++) {
            snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%u/%s", i,
                     names[what]);
            FILE *f = fopen(path, "r");
            if (!f || !fgets(kind, sizeof kind, f))
                kind[0] = '\0';
            if (f)
                fclose(f);
            if (what < 2)
                *(what ? &kb : &its_level) = strtoul(kind, NULL, 10);
        }
        if (its_level == level && strncmp(kind, "Instruction", 11) != 0)
            found = (size_t)kb << 10;
    }
    return found;
}

static void report_cache(struct json *json, const char *key, unsigned level) {
    size_t bytes = sample_cache_bytes(level);
    if (bytes)
        json_u64(json, key, bytes);
}

void sample_report_machine(struct json *json) {
    json_object_begin(json, "machine");
    report_model(json);
    json_u64(json, "cores", (uint64_t)sysconf(_SC_NPROCESSORS_ONLN));
    report_cache(json, "l1d_bytes", 1);
    report_cache(json, "l2_bytes", 2);
    report_cache(json, "l3_bytes", 3);
    json_object_end(json);
}
