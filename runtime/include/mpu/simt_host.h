/* SPDX-License-Identifier: MIT
 * What stands behind the names of mpu/simt.h: one machine, its memory, its kernels, and launches.
 */
#ifndef MPU_SIMT_HOST_H
#define MPU_SIMT_HOST_H

#include "mpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* CUDA's numbers. */
typedef enum cudaError {
    cudaSuccess = 0,
    cudaErrorInvalidValue = 1,
    cudaErrorMemoryAllocation = 2,
    cudaErrorInitializationError = 3,
    cudaErrorInvalidConfiguration = 9,
    cudaErrorInvalidDevicePointer = 17,
    cudaErrorInvalidMemcpyDirection = 21,
    cudaErrorInvalidDeviceFunction = 98,
    cudaErrorInvalidDevice = 101,
    cudaErrorLaunchFailure = 719,
    cudaErrorUnknown = 999
} cudaError_t;

enum cudaMemcpyKind {
    cudaMemcpyHostToHost,
    cudaMemcpyHostToDevice,
    cudaMemcpyDeviceToHost,
    cudaMemcpyDeviceToDevice,
    cudaMemcpyDefault /* none of which is told from the pointers: a code */
};

/* What was allocated, at its address in the machine's memory, which is what the program has as a
 * pointer; ascending. */
struct mpu_simt_place {
    uint64_t address, bytes;
    mpu_buffer *buffer;
};

/* The one machine of a program, whichever of its files calls. */
struct mpu_simt {
    mpu_target *target;
    mpu_device *device;
    mpu_module *modules[64];
    int module_count;
    struct mpu_simt_place *places;
    size_t place_count, room;
    cudaError_t last; /* cudaGetLastError */
    /* of the launch that is being made */
    const char *kernel;
    uint32_t grid[3], block[3];
    uint64_t bytes;
};
extern struct mpu_simt mpu_simt_one;
__attribute__((weak)) struct mpu_simt mpu_simt_one;

/* ---- failures ---- */

static inline cudaError_t mpu_simt_fail(cudaError_t code, const char *what, mpu_error *error) {
    struct mpu_simt *s = &mpu_simt_one;
    if (error)
        fprintf(stderr, "%s", mpu_error_text(error));
    else
        fprintf(stderr, "%s\n", what);
    mpu_error_free(error);
    s->last = code;
    return code;
}

/* ---- the machine and its kernels ---- */

static inline char *mpu_simt_read(const char *path, size_t *size) {
    FILE *f = fopen(path, "rb");
    char *text = NULL;
    size_t room = 0;
    *size = 0;
    while (f && !ferror(f) && !feof(f)) {
        if (room - *size < 65536)
            text = (char *)realloc(text, room = 2 * room + 65536);
        if (!text)
            abort();
        *size += fread(text + *size, 1, room - *size, f);
    }
    if (f)
        fclose(f);
    return text;
}

static inline cudaError_t mpu_simt_load(const char *path) {
    struct mpu_simt *s = &mpu_simt_one;
    mpu_error *e = NULL;
    size_t size;
    char *text = mpu_simt_read(path, &size);
    if (!text || s->module_count == 64) {
        fprintf(stderr, "%s: ", path);
        free(text);
        return mpu_simt_fail(cudaErrorInitializationError,
                             text ? "more than 64 texts of kernels"
                                  : "this file of kernels cannot be read; MPU_KERNELS in the "
                                    "environment names files of PTX",
                             NULL);
    }
    mpu_module *m = mpu_module_load(s->device, "ptx", path, text, size, &e);
    free(text);
    if (!m)
        return mpu_simt_fail(cudaErrorInitializationError, NULL, e);
    s->modules[s->module_count++] = m;
    return cudaSuccess;
}

/* The program's own file, and ".ptx". */
static inline void mpu_simt_beside(char *path, size_t room) {
    FILE *f = fopen("/proc/self/cmdline", "rb");
    size_t n = f ? fread(path, 1, room - 5, f) : 0;
    path[n] = '\0';
    if (f)
        fclose(f);
    strcat(path, ".ptx");
}

static inline cudaError_t mpu_simt_load_all(void) {
    const char *from = getenv("MPU_KERNELS");
    char path[4096];
    cudaError_t r = cudaSuccess;
    if (!from)
        from = MPU_KERNELS;
    if (!from) {
        mpu_simt_beside(path, sizeof path);
        return mpu_simt_load(path);
    }
    while (*from && r == cudaSuccess) {
        size_t n = strcspn(from, ":");
        snprintf(path, sizeof path, "%.*s", (int)n, from);
        if (n)
            r = mpu_simt_load(path);
        from += n + (from[n] == ':');
    }
    return r;
}

/* Opens the machine once; a machine that did not open is tried again. */
static inline cudaError_t mpu_simt_open(void) {
    struct mpu_simt *s = &mpu_simt_one;
    const char *name = getenv("MPU_TARGET");
    mpu_config config;
    mpu_error *e = NULL;
    if (s->device)
        return cudaSuccess;
    const char *check = getenv("MPU_CHECK");
    memset(&config, 0, sizeof config);
    config.size = sizeof config;
    config.check = check && strcmp(check, "0") != 0;
    s->target = mpu_target_open(name ? name : MPU_TARGET, NULL, &e);
    s->device = s->target ? mpu_device_open(s->target, &config, &e) : NULL;
    if (s->device)
        return cudaSuccess;
    mpu_target_close(s->target);
    s->target = NULL;
    return mpu_simt_fail(cudaErrorInitializationError, NULL, e);
}

/* All that was allocated, the kernels and the machine are gone. */
static inline cudaError_t mpu_simt_close(void) {
    struct mpu_simt *s = &mpu_simt_one;
    for (size_t i = 0; i < s->place_count; i++)
        mpu_buffer_free(s->places[i].buffer);
    for (int i = 0; i < s->module_count; i++)
        mpu_module_free(s->modules[i]);
    mpu_device_close(s->device);
    mpu_target_close(s->target);
    free(s->places);
    memset(s, 0, sizeof *s);
    return cudaSuccess;
}

/* ---- memory ---- */

/* The place that holds the address; NULL: none does.  *after: how many places lie below it. */
static inline struct mpu_simt_place *mpu_simt_find(uint64_t address, size_t *after) {
    struct mpu_simt *s = &mpu_simt_one;
    size_t low = 0, high = s->place_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (s->places[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (after)
        *after = low;
    struct mpu_simt_place *p = low ? &s->places[low - 1] : NULL;
    return p && address - p->address < p->bytes ? p : NULL;
}

/* Its address goes to *pointer, whatever pointer that is. */
static inline cudaError_t mpu_simt_malloc(void *pointer, size_t bytes) {
    struct mpu_simt *s = &mpu_simt_one;
    const mpu_vtype type = {MPU_KIND_UINT, 8};
    const uint64_t n = bytes;
    mpu_error *e = NULL;
    size_t at;
    memset(pointer, 0, sizeof(void *));
    if (!bytes)
        return cudaSuccess;
    if (mpu_simt_open() != cudaSuccess)
        return s->last;
    mpu_buffer *b = mpu_buffer_new(s->device, type, 1, &n, &e);
    if (!b)
        return mpu_simt_fail(cudaErrorMemoryAllocation, NULL, e);
    if (s->place_count == s->room) {
        s->room = 2 * s->room + 16;
        s->places = (struct mpu_simt_place *)realloc(s->places, s->room * sizeof *s->places);
        if (!s->places)
            abort();
    }
    struct mpu_simt_place place = {mpu_buffer_address(b), bytes, b};
    mpu_simt_find(place.address, &at);
    memmove(s->places + at + 1, s->places + at, (s->place_count++ - at) * sizeof place);
    s->places[at] = place;
    void *made = (void *)(uintptr_t)place.address;
    memcpy(pointer, &made, sizeof made);
    return cudaSuccess;
}

static inline cudaError_t mpu_simt_free(const void *pointer) {
    struct mpu_simt *s = &mpu_simt_one;
    size_t after;
    struct mpu_simt_place *p = mpu_simt_find((uint64_t)(uintptr_t)pointer, &after);
    if (!pointer)
        return cudaSuccess;
    if (!p || p->address != (uint64_t)(uintptr_t)pointer)
        return mpu_simt_fail(cudaErrorInvalidValue, "free: the address is that of no allocation",
                             NULL);
    mpu_buffer_free(p->buffer);
    memmove(p, p + 1, (s->place_count-- - after) * sizeof *p);
    return cudaSuccess;
}

/* Where bytes lie on the machine; NULL after reporting. */
static inline struct mpu_simt_place *mpu_simt_range(const char *what, const void *pointer,
                                                    size_t bytes) {
    const uint64_t address = (uint64_t)(uintptr_t)pointer;
    struct mpu_simt_place *p = mpu_simt_find(address, NULL);
    if (p && bytes <= p->bytes - (address - p->address))
        return p;
    fprintf(stderr, "%s: %zu bytes at 0x%llx: ", what, bytes, (unsigned long long)address);
    mpu_simt_fail(cudaErrorInvalidValue,
                  p ? "the allocation that begins before them ends within them"
                    : "no allocation of the machine's memory has them",
                  NULL);
    return NULL;
}

static inline cudaError_t mpu_simt_move(int out, void *host, const void *pointer, size_t bytes) {
    mpu_error *e = NULL;
    struct mpu_simt_place *p = mpu_simt_range("memcpy", pointer, bytes);
    if (!p)
        return mpu_simt_one.last;
    const uint64_t at = (uint64_t)(uintptr_t)pointer - p->address;
    mpu_result r = out ? mpu_buffer_get(p->buffer, MPU_ALL_UNITS, at, bytes, host, &e)
                       : mpu_buffer_put(p->buffer, MPU_ALL_UNITS, at, bytes, host, &e);
    return r == MPU_OK ? cudaSuccess : mpu_simt_fail(cudaErrorUnknown, NULL, e);
}

static inline cudaError_t mpu_simt_memcpy(void *to, const void *from, size_t bytes, int kind) {
    void *between;
    cudaError_t r;
    if (!bytes)
        return cudaSuccess;
    switch (kind) {
    case cudaMemcpyHostToHost:
        memcpy(to, from, bytes);
        return cudaSuccess;
    case cudaMemcpyHostToDevice:
        return mpu_simt_move(0, (void *)(uintptr_t)from, to, bytes);
    case cudaMemcpyDeviceToHost:
        return mpu_simt_move(1, to, from, bytes);
    case cudaMemcpyDeviceToDevice:
        between = malloc(bytes);
        if (!between)
            abort();
        r = mpu_simt_move(1, between, from, bytes);
        if (r == cudaSuccess)
            r = mpu_simt_move(0, between, to, bytes);
        free(between);
        return r;
    default:
        return mpu_simt_fail(cudaErrorInvalidMemcpyDirection,
                             "memcpy: the direction is none that pointers of host and machine tell",
                             NULL);
    }
}

static inline cudaError_t mpu_simt_memset(void *to, int value, size_t bytes) {
    void *all = malloc(bytes ? bytes : 1);
    if (!all)
        abort();
    memset(all, value, bytes);
    cudaError_t r = bytes ? mpu_simt_move(0, all, to, bytes) : cudaSuccess;
    free(all);
    return r;
}

/* ---- launches ---- */

/* An argument as the program has it. */
struct mpu_simt_value {
    const void *at;
    size_t bytes;
    int kind; /* 0: whatever it is; 1: a number with a sign; 2: without; 3: floating point */
};

static inline mpu_kernel *mpu_simt_kernel(const char *name) {
    struct mpu_simt *s = &mpu_simt_one;
    mpu_error *e = NULL;
    if (mpu_simt_open() != cudaSuccess || (!s->module_count && mpu_simt_load_all() != cudaSuccess))
        return NULL;
    for (int i = 0; i < s->module_count; i++) {
        mpu_error_free(e);
        e = NULL;
        mpu_kernel *k = mpu_module_kernel(s->modules[i], name, &e);
        if (k)
            return k;
    }
    mpu_simt_fail(cudaErrorInvalidDeviceFunction, "there are no kernels", e);
    return NULL;
}

static inline uint64_t mpu_simt_whole(const struct mpu_simt_value *v) {
    uint64_t x = 0;
    double d;
    float f;
    if (v->kind == 3) {
        memcpy(&f, v->at, sizeof f);
        d = f;
        if (v->bytes == sizeof d)
            memcpy(&d, v->at, sizeof d);
        return d < 0 ? (uint64_t)(int64_t)d : (uint64_t)d;
    }
    memcpy(&x, v->at, v->bytes); /* the host is little-endian */
    if (v->kind == 1 && v->bytes < 8 && x >> (8 * v->bytes - 1))
        x |= ~(uint64_t)0 << 8 * v->bytes;
    return x;
}

static inline double mpu_simt_real(const struct mpu_simt_value *v) {
    double d;
    float f;
    if (v->kind != 3)
        return v->kind == 1 ? (double)(int64_t)mpu_simt_whole(v) : (double)mpu_simt_whole(v);
    if (v->bytes == sizeof d) {
        memcpy(&d, v->at, sizeof d);
        return d;
    }
    memcpy(&f, v->at, sizeof f);
    return f;
}

/* As C converts an argument to its parameter.  False: there is no such conversion. */
static inline int mpu_simt_convert(const mpu_kernel *k, uint32_t i, const struct mpu_simt_value *v,
                                   mpu_argument *out) {
    const mpu_vtype type = mpu_kernel_parameter_type(k, i);
    const uint32_t structure = mpu_kernel_parameter_bytes(k, i);
    memset(out, 0, sizeof *out);
    if (structure) {
        out->bytes = v->at;
        return v->bytes == structure;
    }
    if (v->bytes > 8)
        return 0;
    if (mpu_kernel_parameter_is_buffer(k, i) || !type.bits) {
        memcpy(&out->value, v->at, v->bytes);
        return v->bytes == 8 && v->kind == 0;
    }
    if (type.kind == MPU_KIND_FLOAT && v->kind) {
        double d = mpu_simt_real(v);
        float f = (float)d;
        memcpy(&out->value, type.bits == 64 ? (const void *)&d : (const void *)&f, type.bits / 8u);
        return type.bits >= 32;
    }
    out->value = mpu_simt_whole(v);
    if (type.bits < 64)
        out->value &= ((uint64_t)1 << type.bits) - 1;
    if (type.kind == MPU_KIND_INT && type.bits < 64 && out->value >> (type.bits - 1))
        out->value |= ~(uint64_t)0 << type.bits;
    return 1;
}

static inline cudaError_t mpu_simt_launch(const struct mpu_simt_value *values, uint32_t count) {
    struct mpu_simt *s = &mpu_simt_one;
    mpu_argument arguments[64];
    mpu_error *e = NULL;
    mpu_kernel *k = mpu_simt_kernel(s->kernel);
    if (!k)
        return s->last;
    if (count > 64 || mpu_kernel_parameter_count(k) != count) {
        fprintf(stderr, "kernel '%s' has %u parameters, and gets %u", s->kernel,
                (unsigned)mpu_kernel_parameter_count(k), (unsigned)count);
        return mpu_simt_fail(cudaErrorInvalidValue, "", NULL);
    }
    for (uint32_t i = 0; i < count; i++)
        if (!mpu_simt_convert(k, i, &values[i], &arguments[i])) {
            fprintf(stderr, "kernel '%s', argument %u of %zu bytes", s->kernel, (unsigned)i + 1,
                    values[i].bytes);
            return mpu_simt_fail(cudaErrorInvalidValue, " does not fit its parameter", NULL);
        }
    mpu_result r = mpu_launch(k, s->grid, s->block, s->bytes, arguments, count, &e);
    if (r == MPU_OK)
        return cudaSuccess;
    return mpu_simt_fail(r == MPU_USAGE ? cudaErrorInvalidConfiguration : cudaErrorLaunchFailure,
                         NULL, e);
}

static inline void mpu_simt_shape(const char *kernel, dim3 grid, dim3 block, uint64_t bytes) {
    struct mpu_simt *s = &mpu_simt_one;
    const uint32_t g[3] = {grid.x, grid.y, grid.z}, b[3] = {block.x, block.y, block.z};
    s->kernel = kernel;
    memcpy(s->grid, g, sizeof g);
    memcpy(s->block, b, sizeof b);
    s->bytes = bytes;
}

#ifdef __cplusplus
}
#endif
#endif
