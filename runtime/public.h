/* SPDX-License-Identifier: MIT
 * Between the public API and the inside: what stands behind its handles for errors, messages and
 * targets, its arrays, and what each public call begins and ends with. */
#ifndef RUNTIME_PUBLIC_H
#define RUNTIME_PUBLIC_H

#include "runtime/include/mpu/mpu.h"
#include "support/alloc.h"
#include "support/ndarray.h"
#include "target/target.h"

struct mpu_error {
    mpu_result code;
    struct str text;
};

struct mpu_messages {
    struct diag *d;
    mpu_message_function *consumer; /* NULL: none */
    void *context;
    struct str *text; /* messages are also appended to it as text; or NULL */
};

struct mpu_target {
    struct target *t;
    struct machine_library *library; /* what is built in for it */
    bool keeps;                      /* mpu_target_use_cache */
};

/* A number and the ending of its noun, for "%u MPU%s". */
#define COUNTED(n) (unsigned)(n), (n) == 1 ? "" : "s"

/* ---- public_target.c ---- */
/* What takes long to work out for it is kept in the user's cache. */
void public_keep(struct machine_library *library);
mpu_result public_target_open_diag(const char *name, const struct target_override *set,
                                   size_t count, struct diag *diag, mpu_target **out);

/* ---- public_engine.c ---- */
/* The engine that is named, else that of MPU_ENGINE in the environment, strict or fused, else
 * fused; NULL after reporting.  Results and figures are the same with each. */
const char *public_engine(const char *named, struct diag *diag);

/* ---- public_array.c ---- */
/* The array of the API, whose data are those of `a`. */
mpu_type public_type(struct element_type type);
mpu_array public_array(const struct ndarray *array);
/* False if type or shape are not valid; *out borrows the data.  `without`: the array has no data.
 */
bool public_array_borrow(const mpu_array *array, bool without, struct ndarray *out);

/* ---- public_call.c ---- */
/* A call of the public API: messages go to `d`, and from there to the caller's sink, if there is
 * one, and to *error, if that is wanted. */
struct public_call {
    struct alloc_undo undo;
    struct diag *d;
    mpu_messages *sink;
    bool owned; /* the sink is the call's own */
    mpu_error **error;
    struct str text;
};
void public_call_begin(struct public_call *call, mpu_messages *sink, mpu_error **error);
/* Returns `result`. */
mpu_result public_call_end(struct public_call *call, mpu_result result);
/* Stores the error of a host without memory, for which none is needed. */
void public_no_memory(mpu_error **error);
/* What each public function that allocates begins with: where memory runs out, it returns `value`
 * (nothing, if it is void) with that error, and what it had allocated for itself is lost.  OF: the
 * function changes `object`, which is of no use then and says the same whatever is asked of it;
 * what is freed of it is its machine. */
#define PUBLIC_ENTRY_WITH(lost, error, ...)                                                        \
    struct alloc_point point __attribute__((cleanup(alloc_point_leave)));                          \
    if (ALLOC_POINT_REACHED(point)) {                                                              \
        lost;                                                                                      \
        public_no_memory(error);                                                                   \
        return __VA_ARGS__;                                                                        \
    }                                                                                              \
    (void)0
#define PUBLIC_ENTRY(error, ...) PUBLIC_ENTRY_WITH((void)0, error, __VA_ARGS__)
#define PUBLIC_ENTRY_OF(object, error, ...)                                                        \
    if ((object)->broken) {                                                                        \
        public_no_memory(error);                                                                   \
        return __VA_ARGS__;                                                                        \
    }                                                                                              \
    PUBLIC_ENTRY_WITH((object)->broken = true, error, __VA_ARGS__)
/* Hands the text over to the caller; *str is empty afterwards. */
char *public_text_out(struct str *str);

#endif
