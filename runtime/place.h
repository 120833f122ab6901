/* SPDX-License-Identifier: MIT
 * What names stand for, and the shapes of what they name. */
#ifndef RUNTIME_PLACE_H
#define RUNTIME_PLACE_H

#include "emu/observe/values.h"
#include "runtime/data.h"

/* What a name on the command line or in a call stands for. */
struct place_name {
    bool bare;
    bool memory;            /* !bare: a buffer, and `variable` is its number */
    uint32_t variable;      /* !bare */
    uint32_t mpu, rfh, vrf; /* bare; mpu == NO_INDEX: the image's first */
    uint8_t reg;
    bool typed; /* ":u8" was given */
    struct lane_type type;
};

/* ---- place_name.c ---- */
/* False after reporting, with the nearest name. */
bool session_place_parse(const mpu_session *session, const char *name, struct place_name *out,
                         struct diag *diag);

/* Adds the note "its sizes are: n, m" to the message about a name that is none of them. */
void session_note_names(const char *what, const char *const *names, size_t count,
                        struct diag *diag);

/* ---- element_names.c ---- */
struct value_spots {
    struct value_spot list[VALUE_SPOTS];
    uint32_t count;
    struct arena names;
};
/* "y[77],a[3, 5],RFH0.VRF1[12]"; NULL: the first element of each group.  False after reporting. */
bool session_elements_parse(mpu_session *session, const char *text, struct value_spots *out,
                            struct diag *diag);

/* ---- real_values.c ---- */
/* The type that the arrays of a variable, a link-time value or a typed register have, if it is of
 * floating point; else bits is 0. */
struct element_type session_real_type(const mpu_session *session, const char *name);
/* Makes the array whose elements, of the floating-point type `to`, are the numbers of another
 * array; MPU_REJECTED after reporting the first that is none of that type, with its index. */
mpu_result session_make_reals(const char *name, const struct ndarray *array, struct element_type to,
                              struct ndarray *made, struct diag *diag);

struct pending_put;

/* ---- shape.c ---- */
/* Binds the sizes that follow from a put's shape, checks the shape, and gives FORM_TEXT arrays
 * theirs. */
mpu_result session_shape_accept(mpu_session *session, const struct place_name *place_name,
                                const char *name, enum source_form form, struct ndarray *array,
                                struct diag *diag);
/* Lanes of a bare register. */
uint32_t session_bare_lanes(const mpu_session *session);
/* Whether an array that was put before all sizes were known has the right shape now that they are.
 * False after reporting. */
bool session_shape_still_fits(const mpu_session *session, const struct pending_put *put,
                              struct diag *diag);
/* Dimensions of a variable's array. */
uint32_t session_variable_dims(const struct object *object, const struct variable *variable);
/* The extent that dimension `index` has from the group, or from the array's own shape; NULL: it is
 * from neither. */
const struct extent *session_variable_extent(const struct object *object,
                                             const struct variable *variable, uint32_t index);
/* The number by which that extent is multiplied for dimension `index`.  Without an extent it is the
 * dimension itself: one of the MPU grid, or k of T[k]. */
uint64_t session_variable_times(const struct object *object, const struct variable *variable,
                                uint32_t index);
/* Shape of a variable; every size must be bound. */
void session_variable_shape(const mpu_session *session, const struct variable *variable,
                            uint32_t *ndim, uint64_t shape[NDARRAY_MAX_DIMS]);
uint64_t session_group_size(const mpu_session *session, uint32_t group);

/* Type and shape of what a get of `name` would give, without data; sizes that nothing has bound
 * take their defaults.  *held: kind and bits of what a register holds; the file's type may be
 * larger. */
mpu_result session_shape_diag(mpu_session *session, const char *name, struct ndarray *like,
                              struct element_type *held, struct diag *diag);

/* ---- fit.c ---- */
/* Called after the error that an array has another shape than `name`, with as many dimensions: adds
 * a note with the definitions of constants that would fit the array, if there are any. */
void session_note_fitting_constants(const struct object *object, const char *name,
                                    const uint64_t *shape, const struct ndarray *array,
                                    struct diag *diag);

#endif
