/* SPDX-License-Identifier: MIT
 * libmpu: run MPU programs from C.
 *
 *     mpu_target *t = mpu_target_open("racer", NULL, &e);
 *     mpu_program *p = mpu_program_load_file("axpy.mpu", &e);
 *     mpu_session *s = mpu_session_new(p, t, NULL, &e);
 *     mpu_session_bind_size(s, "n", 1000, &e);
 *     mpu_session_put(s, "x", &array, &e); ... mpu_session_run(s, &e);
 *     mpu_session_get(s, "z", &array, &e);
 *
 * All handles are opaque.  A function that can fail takes a `mpu_error **` (may be NULL): on
 * failure it returns MPU_... < 0 or NULL and stores an error to be released by mpu_error_free.
 * Objects are not shared between threads at the same time; different sessions are independent.
 * The library prints nothing and keeps no globals. */
#ifndef MPU_MPU_H
#define MPU_MPU_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define MPU_API __attribute__((visibility("default")))
#else
#define MPU_API
#endif

/* The API version; minor versions add, major versions break.  Compare with mpu_api_version(). */
#define MPU_API_MAJOR 0
#define MPU_API_MINOR 3

typedef struct mpu_target mpu_target;
typedef struct mpu_program mpu_program;
typedef struct mpu_session mpu_session;
typedef struct mpu_error mpu_error;

typedef enum mpu_result {
    MPU_OK = 0,
    MPU_REJECTED = -1, /* the input was rejected */
    MPU_USAGE = -2,    /* a call that makes no sense (unknown name, wrong order) */
    MPU_FILE = -3,     /* a file could not be read */
    MPU_STOPPED = -4,  /* the emulated program stopped on an error, a limit or an interrupt */
    MPU_DIFFERS = -5,  /* --check found strict and golden to differ */
    MPU_RESULT_FORCE_32_BIT = 0x7fffffff
} mpu_result;

/* Element types of arrays: NumPy's names ("uint8", "int32", "bool"). */
typedef enum mpu_element_type {
    MPU_BOOL,
    MPU_U8,
    MPU_U16,
    MPU_U32,
    MPU_U64,
    MPU_I8,
    MPU_I16,
    MPU_I32,
    MPU_I64,
    MPU_TYPE_FORCE_32_BIT = 0x7fffffff
} mpu_type;

#define MPU_MAX_DIMS 8
/* C order, native byte order, densely packed. */
typedef struct mpu_array {
    mpu_type type;
    uint32_t ndim;
    uint64_t shape[MPU_MAX_DIMS];
    void *data;
} mpu_array;

MPU_API uint32_t mpu_api_version(void); /* major << 16 | minor */
MPU_API const char *mpu_version(void);  /* of the toolchain: "0.1.0" */

MPU_API mpu_result mpu_error_code(const mpu_error *e);
/* All messages, one a line, as the tools print them. */
MPU_API const char *mpu_error_text(const mpu_error *e);
MPU_API void mpu_error_free(mpu_error *e);

/* A built-in target by name or a YAML file by path; `set` is NULL or "key=value" strings ending
 * with NULL. */
MPU_API mpu_target *mpu_target_open(const char *name, const char *const *set, mpu_error **error);
MPU_API const char *mpu_target_name(const mpu_target *t);
MPU_API void mpu_target_close(mpu_target *t);

/* .mpu bytes, or a file: .mpu, .o, .s, .ez (compiled and linked on the way). */
MPU_API mpu_program *mpu_program_load(const void *bytes, size_t size, mpu_error **error);
MPU_API mpu_program *mpu_program_load_file(const char *path, mpu_error **error);
MPU_API void mpu_program_free(mpu_program *p);

typedef struct mpu_config {
    uint32_t size;        /* sizeof(mpu_config): versions the struct */
    const char *engine;   /* "strict" (NULL), "golden" */
    const char *batch;    /* "target" (NULL), "one", "all" */
    const char *init;     /* "zero" (NULL), "random:SEED" */
    int check;            /* golden beside, compared after every ensemble */
    uint64_t max_cycles;  /* 0 = none */
    uint64_t max_seconds; /* 0 = none */
    void (*print)(void *context, const char *line); /* PRINT lines; NULL: dropped */
    void *print_context;
    const volatile int *interrupted; /* stop when nonzero; may be NULL */
    /* Called about once a second of the host's time while the program runs; may be NULL. */
    void (*progress)(void *context, uint64_t seconds, uint64_t ensembles, uint64_t cycles);
    void *progress_context;
    /* Host threads that the program may run on, 1 to 256; 0: as many as there are processors.
     * Nothing that the program computes and no statistics depend on it; print and progress are
     * called on the thread that called mpu_session_run. */
    uint32_t threads;
    /* Nonzero: the SHA-256 of what was put is not wanted; statistics have null for it. */
    int unhashed;
    /* Where groups lie on the chip: "packed" into few MPUs, "spread" over all, "auto": what takes
     * less time.  NULL: as the program's package for the target has it, else auto. */
    const char *place;
    /* Who finishes reductions that the host may finish: "device" in place, "host", "auto": whoever
     * takes less time.  NULL: as the program's package for the target has it, else auto. */
    const char *finish;
} mpu_config;

/* config may be NULL.  Program and target must outlive the session. */
MPU_API mpu_session *mpu_session_new(const mpu_program *p, const mpu_target *t,
                                     const mpu_config *config, mpu_error **error);
MPU_API void mpu_session_free(mpu_session *s);

/* Sizes are bound before the first put with an extent that needs them, or by such a put; to no
 * value above what the program states as the size's bound.  MPU_USAGE for one that is worked out
 * from others. */
MPU_API mpu_result mpu_session_bind_size(mpu_session *s, const char *name, uint64_t value,
                                         mpu_error **error);
/* Copies an array into variable `name` ("x", or a bare register "RFH0.VRF3.r5",
 * "MPU2.RFH0.VRF3.r5"), or into a link-time value, which keeps what it has at the first run. Shape:
 * extents of the group, then k of T[k], unless the program states another; values must fit the
 * type, and that of the registers where it is narrower. */
MPU_API mpu_result mpu_session_put(mpu_session *s, const char *name, const mpu_array *a,
                                   mpu_error **error);
/* Runs the program from its entry to its end.  An input that the program consumes (`in consumed`)
 * is gone then: MPU_USAGE for a get of it, and for another run before it is put anew. */
MPU_API mpu_result mpu_session_run(mpu_session *s, mpu_error **error);
/* Fills *a; data is allocated and released by mpu_array_free.  Stopped programs may be read too. */
MPU_API mpu_result mpu_session_get(mpu_session *s, const char *name, mpu_array *a,
                                   mpu_error **error);
MPU_API void mpu_array_free(mpu_array *a);

/* Statistics of the last run: "json", "csv" or "text" (released by mpu_string_free). */
MPU_API char *mpu_session_stats(mpu_session *s, const char *format, mpu_error **error);
/* One figure by its JSON path, "total.time_ps"; MPU_USAGE if there is none or it is null. */
MPU_API mpu_result mpu_session_figure(mpu_session *s, const char *path, uint64_t *value);
MPU_API void mpu_string_free(char *s);

#ifdef __cplusplus
}
#endif
#endif
