/* SPDX-License-Identifier: MIT
 * Host programs of UPMEM's DPUs, under the names that UPMEM's SDK has, on DPUs that are emulated
 * (docs/dpu.md, "Host programs").  Programs written for the SDK compile unchanged with
 *
 *     cc host.c $(pkg-config --cflags --libs mpu) -I$(pkg-config --variable=includedir mpu)/mpu
 *
 * where the second folder is for `#include <dpu.h>`.  Each function gives a code, and says on the
 * standard error what is wrong.  Two threads must not use one set at the same time.
 *
 * Time that is measured around these calls is that of the emulation.  What the DPUs would take
 * stands in mpu_dpu_time, and in the file of the profile's `stats`. */
#ifndef MPU_DPU_H
#define MPU_DPU_H

#include "mpu.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum dpu_error_t {
    DPU_OK,
    DPU_ERR_INTERNAL,
    DPU_ERR_SYSTEM,
    DPU_ERR_DRIVER,
    DPU_ERR_ALLOCATION,
    DPU_ERR_INVALID_DPU_SET,
    DPU_ERR_INVALID_THREAD_ID,
    DPU_ERR_INVALID_NOTIFY_ID,
    DPU_ERR_INVALID_WRAM_ACCESS,
    DPU_ERR_INVALID_IRAM_ACCESS,
    DPU_ERR_INVALID_MRAM_ACCESS,
    DPU_ERR_INVALID_SYMBOL_ACCESS,
    DPU_ERR_MRAM_BUSY,
    DPU_ERR_TRANSFER_ALREADY_SET,
    DPU_ERR_DIFFERENT_DPU_PROGRAMS,
    DPU_ERR_CORRUPTED_MEMORY,
    DPU_ERR_DPU_DISABLED,
    DPU_ERR_DPU_ALREADY_RUNNING,
    DPU_ERR_INVALID_MEMORY_TRANSFER,
    DPU_ERR_INVALID_LAUNCH_POLICY,
    DPU_ERR_DPU_FAULT,
    DPU_ERR_ELF_INVALID_FILE,
    DPU_ERR_ELF_NO_SUCH_FILE,
    DPU_ERR_ELF_NO_SUCH_SECTION,
    DPU_ERR_TIMEOUT,
    DPU_ERR_INVALID_PROFILE,
    DPU_ERR_UNKNOWN_SYMBOL,
    DPU_ERR_LOG_FORMAT,
    DPU_ERR_LOG_CONTEXT_MISSING,
    DPU_ERR_LOG_BUFFER_TOO_SMALL
} dpu_error_t;
typedef enum dpu_launch_policy_t { DPU_ASYNCHRONOUS, DPU_SYNCHRONOUS } dpu_launch_policy_t;
typedef enum dpu_xfer_t { DPU_XFER_TO_DPU, DPU_XFER_FROM_DPU } dpu_xfer_t;
typedef enum dpu_xfer_flags_t {
    DPU_XFER_DEFAULT = 0,
    DPU_XFER_NO_RESET = 1, /* what was prepared is prepared for the next transfer, too */
    DPU_XFER_ASYNC = 2     /* carried out at once, as all transfers are */
} dpu_xfer_flags_t;
#define DPU_ALLOCATE_ALL UINT32_MAX
#define MPU_DPU_RANK     64u /* DPUs of a rank */
/* Where MRAM begins that the program does not use itself. */
#define DPU_MRAM_HEAP_POINTER_NAME "__sys_used_mram_end"

struct mpu_dpus; /* what was allocated together */
/* DPUs first .. first + count - 1 of them: all, a rank, or one. */
struct dpu_set_t {
    struct mpu_dpus *all;
    uint32_t first, count;
};
struct dpu_program_t; /* lives as long as the DPUs that it was loaded into */
struct dpu_symbol_t {
    uint32_t address, size; /* as the ELF file has them */
};

/* An ELF file within the host program, as DPU_INCBIN puts it there. */
struct dpu_incbin_t {
    uint8_t *buffer;
    size_t size;
    const char *path;
};

/* What DPUs would take, in picoseconds, since they were allocated. */
typedef struct mpu_dpu_times {
    uint64_t launches, launch_ps; /* what a launch takes besides the kernel */
    uint64_t kernel_ps;
    uint64_t to_dpu_bytes, to_dpu_ps, from_dpu_bytes, from_dpu_ps;
    uint64_t instructions, cycles; /* of all DPUs */
} mpu_dpu_times;
MPU_API void mpu_dpu_time(struct dpu_set_t set, mpu_dpu_times *out);

/* The functions behind those below; `say` gets each message, and may be NULL. */
typedef void mpu_dpu_say(const char *text);
MPU_API const char *mpu_dpu_error(dpu_error_t error);
MPU_API dpu_error_t mpu_dpu_alloc(uint32_t count, const char *profile, const char *base,
                                  struct dpu_set_t *set, mpu_dpu_say *say);
MPU_API dpu_error_t mpu_dpu_free(struct dpu_set_t set, mpu_dpu_say *say);
MPU_API dpu_error_t mpu_dpu_load(struct dpu_set_t set, const char *path,
                                 struct dpu_program_t **program, mpu_dpu_say *say);
MPU_API dpu_error_t mpu_dpu_load_bytes(struct dpu_set_t set, const void *bytes, size_t size,
                                       struct dpu_program_t **program, mpu_dpu_say *say);
MPU_API dpu_error_t mpu_dpu_symbol(struct dpu_program_t *program, const char *name,
                                   struct dpu_symbol_t *symbol, mpu_dpu_say *say);
MPU_API dpu_error_t mpu_dpu_symbol_of(struct dpu_set_t set, const char *name,
                                      struct dpu_symbol_t *symbol, mpu_dpu_say *say);
MPU_API dpu_error_t mpu_dpu_prepare(struct dpu_set_t set, void *buffer, mpu_dpu_say *say);
MPU_API dpu_error_t mpu_dpu_push(struct dpu_set_t set, dpu_xfer_t way, struct dpu_symbol_t symbol,
                                 uint32_t offset, size_t length, uint32_t flags, mpu_dpu_say *say);
/* The same bytes into each DPU. */
MPU_API dpu_error_t mpu_dpu_copy_to(struct dpu_set_t set, struct dpu_symbol_t symbol,
                                    uint32_t offset, const void *from, size_t length,
                                    mpu_dpu_say *say);
MPU_API dpu_error_t mpu_dpu_copy_from(struct dpu_set_t set, struct dpu_symbol_t symbol,
                                      uint32_t offset, void *to, size_t length, mpu_dpu_say *say);
MPU_API dpu_error_t mpu_dpu_launch(struct dpu_set_t set, dpu_launch_policy_t policy,
                                   mpu_dpu_say *say);
MPU_API dpu_error_t mpu_dpu_sync(struct dpu_set_t set, bool *fault, mpu_dpu_say *say);
/* What the DPU has printed, as a text that the caller frees with mpu_string_free. */
MPU_API dpu_error_t mpu_dpu_log(struct dpu_set_t set, char **text, mpu_dpu_say *say);
MPU_API dpu_error_t mpu_dpu_refuse(const char *name, mpu_dpu_say *say);
/* Number i of the set's DPUs (`ranks` false) or ranks; false behind the last. */
MPU_API bool mpu_dpu_part(struct dpu_set_t set, bool ranks, uint32_t i, struct dpu_set_t *part);

static inline void mpu_dpu_print(const char *text) {
    fprintf(stderr, "dpu: %s\n", text);
}

/* ---- names of UPMEM's SDK ---- */

/* Of the profile "name=value,.." count: `target` (upmem), and keys of it that have a point in their
 * names; `mhz`; `link`, silicon or recalled; `threads` of the host;
 * `watchdog`, most instructions of a DPU in a launch; `stats`, a file that gets a line of JSON when
 * the DPUs are freed.  Names that the SDK has are taken, and without effect.  What the
 * environment's UPMEM_PROFILE_BASE says is said before. */
static inline dpu_error_t dpu_alloc(uint32_t count, const char *profile, struct dpu_set_t *set) {
    return mpu_dpu_alloc(count, profile, getenv("UPMEM_PROFILE_BASE"), set, mpu_dpu_print);
}
static inline dpu_error_t dpu_alloc_ranks(uint32_t ranks, const char *profile,
                                          struct dpu_set_t *set) {
    return dpu_alloc(ranks > UINT32_MAX / MPU_DPU_RANK ? DPU_ALLOCATE_ALL : MPU_DPU_RANK * ranks,
                     profile, set);
}
static inline dpu_error_t dpu_free(struct dpu_set_t set) {
    return mpu_dpu_free(set, mpu_dpu_print);
}
static inline dpu_error_t dpu_load(struct dpu_set_t set, const char *path,
                                   struct dpu_program_t **program) {
    return mpu_dpu_load(set, path, program, mpu_dpu_print);
}
static inline dpu_error_t dpu_load_from_memory(struct dpu_set_t set, uint8_t *bytes, size_t size,
                                               struct dpu_program_t **program) {
    return mpu_dpu_load_bytes(set, bytes, size, program, mpu_dpu_print);
}
static inline dpu_error_t dpu_load_from_incbin(struct dpu_set_t set, struct dpu_incbin_t *file,
                                               struct dpu_program_t **program) {
    return dpu_load_from_memory(set, file->buffer, file->size, program);
}
static inline dpu_error_t dpu_get_symbol(struct dpu_program_t *program, const char *name,
                                         struct dpu_symbol_t *symbol) {
    return mpu_dpu_symbol(program, name, symbol, mpu_dpu_print);
}
static inline dpu_error_t dpu_get_nr_dpus(struct dpu_set_t set, uint32_t *count) {
    *count = set.count;
    return DPU_OK;
}
static inline dpu_error_t dpu_get_nr_ranks(struct dpu_set_t set, uint32_t *count) {
    *count = (set.first + set.count + MPU_DPU_RANK - 1) / MPU_DPU_RANK - set.first / MPU_DPU_RANK;
    return DPU_OK;
}
static inline dpu_error_t dpu_prepare_xfer(struct dpu_set_t set, void *buffer) {
    return mpu_dpu_prepare(set, buffer, mpu_dpu_print);
}
static inline dpu_error_t dpu_push_xfer_symbol(struct dpu_set_t set, dpu_xfer_t way,
                                               struct dpu_symbol_t symbol, uint32_t offset,
                                               size_t length, dpu_xfer_flags_t flags) {
    return mpu_dpu_push(set, way, symbol, offset, length, (uint32_t)flags, mpu_dpu_print);
}
static inline dpu_error_t dpu_push_xfer(struct dpu_set_t set, dpu_xfer_t way, const char *name,
                                        uint32_t offset, size_t length, dpu_xfer_flags_t flags) {
    struct dpu_symbol_t symbol;
    dpu_error_t error = mpu_dpu_symbol_of(set, name, &symbol, mpu_dpu_print);
    return error ? error : dpu_push_xfer_symbol(set, way, symbol, offset, length, flags);
}
static inline dpu_error_t dpu_broadcast_to_symbol(struct dpu_set_t set, struct dpu_symbol_t symbol,
                                                  uint32_t offset, const void *from, size_t length,
                                                  dpu_xfer_flags_t flags) {
    (void)flags;
    return mpu_dpu_copy_to(set, symbol, offset, from, length, mpu_dpu_print);
}
static inline dpu_error_t dpu_copy_to(struct dpu_set_t set, const char *name, uint32_t offset,
                                      const void *from, size_t length) {
    struct dpu_symbol_t symbol;
    dpu_error_t error = mpu_dpu_symbol_of(set, name, &symbol, mpu_dpu_print);
    return error ? error : mpu_dpu_copy_to(set, symbol, offset, from, length, mpu_dpu_print);
}
static inline dpu_error_t dpu_broadcast_to(struct dpu_set_t set, const char *name, uint32_t offset,
                                           const void *from, size_t length,
                                           dpu_xfer_flags_t flags) {
    (void)flags;
    return dpu_copy_to(set, name, offset, from, length);
}
static inline dpu_error_t dpu_copy_to_symbol(struct dpu_set_t set, struct dpu_symbol_t symbol,
                                             uint32_t offset, const void *from, size_t length) {
    return mpu_dpu_copy_to(set, symbol, offset, from, length, mpu_dpu_print);
}
static inline dpu_error_t dpu_copy_from_symbol(struct dpu_set_t set, struct dpu_symbol_t symbol,
                                               uint32_t offset, void *to, size_t length) {
    return mpu_dpu_copy_from(set, symbol, offset, to, length, mpu_dpu_print);
}
static inline dpu_error_t dpu_copy_from(struct dpu_set_t set, const char *name, uint32_t offset,
                                        void *to, size_t length) {
    struct dpu_symbol_t symbol;
    dpu_error_t error = mpu_dpu_symbol_of(set, name, &symbol, mpu_dpu_print);
    return error ? error : mpu_dpu_copy_from(set, symbol, offset, to, length, mpu_dpu_print);
}
/* An asynchronous launch is carried out at once; what goes wrong in it, dpu_sync says. */
static inline dpu_error_t dpu_launch(struct dpu_set_t set, dpu_launch_policy_t policy) {
    return mpu_dpu_launch(set, policy, mpu_dpu_print);
}
static inline dpu_error_t dpu_sync(struct dpu_set_t set) {
    return mpu_dpu_sync(set, NULL, mpu_dpu_print);
}
static inline dpu_error_t dpu_status(struct dpu_set_t set, bool *done, bool *fault) {
    *done = true;
    mpu_dpu_sync(set, fault, NULL);
    return DPU_OK;
}
static inline dpu_error_t dpu_log_read(struct dpu_set_t set, FILE *stream) {
    char *text = NULL;
    dpu_error_t error = mpu_dpu_log(set, &text, mpu_dpu_print);
    if (text)
        fputs(text, stream);
    mpu_string_free(text);
    return error;
}
#define dpu_push_sg_xfer(...) mpu_dpu_refuse("dpu_push_sg_xfer", mpu_dpu_print)
#define dpu_callback(...)     mpu_dpu_refuse("dpu_callback", mpu_dpu_print)
static inline const char *dpu_error_to_string(dpu_error_t error) {
    return mpu_dpu_error(error);
}

/* Says where a call went wrong, and how, and carries out a statement. */
#define DPU_CHECK(call, on_error)                                                                  \
    do {                                                                                           \
        dpu_error_t mpu_dpu_code_ = (call);                                                        \
        if (mpu_dpu_code_ != DPU_OK) {                                                             \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call,                          \
                    dpu_error_to_string(mpu_dpu_code_));                                           \
            on_error;                                                                              \
        }                                                                                          \
    } while (0)
#define DPU_ASSERT(call) DPU_CHECK(call, exit(EXIT_FAILURE))

/* At the top of a file: `struct dpu_incbin_t name`, with what the file has when this is compiled.
 */
#define DPU_INCBIN(name, file)                                                                     \
    __asm__(".pushsection .data.dpu_incbin, \"aw\"\n .balign 8\n .globl " #name "\n" #name ":\n"   \
            " .dc.a 771f, 772f - 771f, 773f\n771: .incbin \"" file "\"\n772:\n773: .asciz \"" file \
            "\"\n .popsection");                                                                   \
    extern struct dpu_incbin_t name;

/* DPU_FOREACH(set, dpu) and DPU_FOREACH(set, dpu, i), where i counts; of ranks likewise. */
#define DPU_FOREACH(...)                                                                           \
    MPU_DPU_PICK_(__VA_ARGS__, MPU_DPU_EACH3_, MPU_DPU_EACH2_, )(false, __VA_ARGS__)
#define DPU_RANK_FOREACH(...)                                                                      \
    MPU_DPU_PICK_(__VA_ARGS__, MPU_DPU_EACH3_, MPU_DPU_EACH2_, )(true, __VA_ARGS__)
#define MPU_DPU_PICK_(a, b, c, name, ...) name
#define MPU_DPU_EACH3_(ranks, set, one, i)                                                         \
    for ((i) = 0; mpu_dpu_part(set, ranks, (uint32_t)(i), &(one)); (i)++)
#define MPU_DPU_EACH2_(ranks, set, one)       MPU_DPU_COUNT_(ranks, set, one, __LINE__)
#define MPU_DPU_COUNT_(ranks, set, one, line) MPU_DPU_COUNT2_(ranks, set, one, line)
#define MPU_DPU_COUNT2_(ranks, set, one, line)                                                     \
    for (uint32_t mpu_dpu_at_##line = 0; mpu_dpu_part(set, ranks, mpu_dpu_at_##line, &(one));      \
         mpu_dpu_at_##line++)

#ifdef __cplusplus
}
#endif
#endif
