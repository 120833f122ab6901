/* SPDX-License-Identifier: MIT
 * libmpu inside: what stands behind the handles of mpu/mpu.h, and the functions that the public
 * ones wrap.  These take a `struct diag`, so that messages keep their places and settings. */
#ifndef RUNTIME_INTERNAL_H
#define RUNTIME_INTERNAL_H

#include "emu/control/control.h"
#include "emu/observe/values.h"
#include "emu/report/report.h"
#include "ezpim/driver.h"
#include "linker/package/element_place.h"
#include "runtime/include/mpu/mpu.h"
#include "support/alloc.h"
#include "support/ndarray.h"
#include "target/host.h"

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

/* The program as it is on one target, which has no room for the text that all others get. */
struct program_variant {
    const char *target; /* its name, of texts */
    struct mpu_program *program;
};
struct mpu_program {
    struct object *object; /* of parts: not linked */
    bool parts;            /* mpu_source_set_parts */
    char *name;            /* as given */
    char sha256[65];
    struct arena texts;          /* what functions about variables and sizes return */
    const char **variable_types; /* [object.vars.len + object.values.len] */
    const char **buffer_types;   /* [object.buffers.len] */
    const char **formulas;       /* [object.sizes.len], NULL: given */
    VEC(struct program_variant) variants;
};

/* What a program is made from. */
struct source_file {
    const char *path;
    char *bytes; /* NULL: of a file */
    size_t size;
};
struct source_shape {
    const char *parameter;
    const char *data; /* NULL: the shape stands here */
    struct ndarray like;
};
struct mpu_source {
    bool broken; /* PUBLIC_ENTRY_OF */
    mpu_messages *messages;
    struct arena arena; /* names and texts */
    VEC(struct source_file) files;
    VEC(struct asm_define) defines;
    VEC(struct source_shape) shapes;
    VEC(const char *) targets;    /* that it may get a text of its own for */
    bool spill;                   /* -fspill */
    bool keeps;                   /* mpu_source_use_cache */
    const char *language, *entry; /* or NULL */
    bool parts;                   /* mpu_source_set_parts */
    struct file_uses used;        /* the files of the latest mpu_source_build */
};

/* How values came to a variable. */
enum source_form {
    FORM_TYPED, /* a typed array: type and shape must be the variable's */
    FORM_TEXT,  /* numbers without a type; shape is free where the number of elements says it */
};
/* Numbers of a text that have no shape of their own: a list, or one row. */
static inline bool data_is_flat(const struct ndarray *array) {
    return array->ndim <= 1 || (array->ndim == 2 && array->shape[0] == 1);
}
struct data_source {
    enum source_form form;
    const char *name; /* for provenance: "x.npy", "random:1", "call" */
    bool hash;        /* provenance has the SHA-256: of the file, given here, or of the elements */
    char sha256[65];
};

/* How near a result of floating point came to what was expected. */
struct session_expected {
    char *name;
    uint64_t elements, different;
    bool near;               /* a distance of `ulps` counts as the same */
    uint64_t ulps, distance; /* distance: the largest; UINT64_MAX: of a number and a NaN */
};

/* An array that was read from the machine: each name is fetched, and charged, once a run. */
struct session_view {
    char *name;
    struct ndarray values;
};

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

/* Buffers of the program; buffers.c. */
struct session_buffers {
    bool launches; /* the target launches the program's kernels: buffers are there */
    struct variable *as_variables; /* [object.buffers.len]: to shapes and types */
    uint8_t *was_put, *was_read;   /* likewise */
    uint64_t *addresses;           /* likewise, on the machine */
};

/* A put that waits until all sizes are bound. */
struct pending_put {
    struct place_name place;
    char *name;
    struct ndarray values;
};
struct pending_list {
    struct pending_put *data;
    size_t len, cap;
};
void session_pending_free(struct pending_list *list);

/* A variable or register whose data are on the machine before the run, or stay there after it. */
struct session_resident {
    struct place_name place;
    char *name;                   /* as it was given */
    uint64_t bytes_in, bytes_out; /* that did not go over the link */
};

struct session_input {
    char *name, *source;
    char sha256[65];
};

/* Used for a program that runs in rounds, as its elements have no room at once
 * (runtime/host_rounds.c). */
struct session_rounds {
    bool ran;
    uint64_t now, taken; /* the round at work; rounds whose results were kept */
    struct package view; /* the package as that round sees it; its placements live in `arena` */
    struct arena arena;
    struct str fresh;         /* the machine before anything was put */
    struct pending_list data; /* .data records */
    struct ndarray *kept;     /* [object.vars.len]: what the rounds left; not of unwanted ones */
    struct diag *d;           /* while the program runs */
    mpu_result result;        /* of the host's part of the run */
};

struct mpu_session {
    bool broken; /* PUBLIC_ENTRY_OF */
    const mpu_program *program;
    const mpu_target *target;
    mpu_messages *messages; /* or NULL */
    const struct object *object;
    mpu_config config;
    char *engine, *batch, *init;
    bool placed;            /* config.place says where groups lie */
    enum group_place place; /* it, else auto */
    bool finish_said;       /* config.finish says who finishes reductions */
    enum finish_choice finish;
    bool golden; /* the engine has no costs */
    struct session_buffers buffers;
    const struct datapath_ops *ops;
    struct control_config control_config;
    struct dp_setup setup;
    struct program_library library; /* of the program on the target */
    int64_t *sizes;                 /* [object.sizes.len] */
    uint8_t *size_bound;            /* [object.sizes.len]: 1 once the value stands */
    uint64_t **elements;            /* [object.values.len]: what was put, or NULL */
    struct pending_list pending;
    VEC(struct session_input) inputs;
    uint8_t *was_put;        /* [object.vars.len] */
    uint8_t *was_read;       /* [object.vars.len]: 1: by somebody since the last run */
    bool wanted;             /* the caller has said what is going to be read */
    uint8_t *unwanted;       /* [object.vars.len]: 1: nobody will get it */
    uint8_t *is_gone;        /* [object.vars.len]: 1: a run consumed it, and it was not put since */
    struct package *package; /* NULL until the first run or get */
    /* The package, or how the round at work sees it: where the elements on the machine lie. */
    const struct package *here;
    struct session_rounds rounds;
    /* runtime/host_finish.c, [object.finishes.len]; the elements while a program runs. */
    struct ndarray *finish_elements;
    uint64_t *finish_values;
    bool finish_done; /* the values are those of the last run */
    struct datapath *dp;
    struct datapath *reference; /* golden, for control.order=paper under --check; else NULL */
    struct control *control;    /* of the last run, or NULL */
    enum control_end end;
    struct check_counts checked; /* in the last run; 0 unless it was checked */
    struct report_host host;
    VEC(struct session_resident) residents; /* resident.c */
    VEC(struct session_view) views;         /* results.c */
    VEC(struct session_expected) expected;  /* expect.c: what results of floating point were */
    struct session_watching *watching;      /* session_watch.c; NULL: nobody watches */
    uint64_t watch_first, watch_count;
    const char *const *command; /* for provenance; may be NULL */
    size_t command_count;
};

/* A number and the ending of its noun, for "%u MPU%s". */
#define COUNTED(n) (unsigned)(n), (n) == 1 ? "" : "s"

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

/* ---- buffers.c ---- */
void session_buffers_new(mpu_session *session);
void session_buffers_free(mpu_session *session);
/* What a place that is not bare is to shapes and types. */
const struct variable *session_place_variable(const mpu_session *session,
                                              const struct place_name *place);
/* The variable has the name of a buffer that is there: nobody puts or gets it. */
bool session_stands_for_buffer(const mpu_session *session, uint32_t variable);
/* No instruction but kernels works on VRFs: all lanes of the target are theirs. */
bool session_whole_vrfs(const mpu_session *session);
/* Once there is a package: false after reporting that the engine carries out no kernels.  Where it
 * need not, the package is changed to what stands behind their 'else'. */
bool session_kernels_possible(mpu_session *session, struct diag *diag);
/* What kernels ask of a machine that is opened. */
void session_kernels_set_up(mpu_session *session);
/* Memory for all buffers of an open machine. */
bool session_buffers_open(mpu_session *session, struct diag *diag);
/* Over the host's link to the machine's memory, and back; the array has the buffer's type and
 * shape. */
mpu_result session_buffer_put(mpu_session *session, uint32_t buffer, const struct ndarray *array,
                              struct diag *diag);
mpu_result session_buffer_get(mpu_session *session, uint32_t buffer, struct ndarray *array,
                              struct diag *diag);
/* False after reporting inputs without data. */
bool session_buffers_there(const mpu_session *session, struct diag *diag);

/* ---- element_types.c ---- */
/* The element type of files and arrays for a variable's type: the smallest that holds it. */
struct element_type session_host_type(struct lane_type type);
/* True if the element (as ndarray_get gives it, of type `from`) is a value of `to`. */
bool session_value_fits(struct element_type from, uint64_t pattern, struct lane_type to);
/* Checks every element; false after reporting the first that does not fit, with its index. */
bool session_values_fit(const char *name, const struct ndarray *array, struct lane_type to,
                        struct diag *diag);
/* Whether both types are the same. */
bool session_same_type(struct element_type left, struct element_type right);
/* Appends "[3, 4]" for element `number` of `array`. */
void session_index_text(const struct ndarray *array, uint64_t number, struct str *out);

/* ---- real_values.c ---- */
/* The type that the arrays of a variable, a link-time value or a typed register have, if it is of
 * floating point; else bits is 0. */
struct element_type session_real_type(const mpu_session *session, const char *name);
/* Makes the array whose elements, of the floating-point type `to`, are the numbers of another
 * array; MPU_REJECTED after reporting the first that is none of that type, with its index. */
mpu_result session_make_reals(const char *name, const struct ndarray *array, struct element_type to,
                              struct ndarray *made, struct diag *diag);

/* ---- public_target.c, program.c ---- */
/* What takes long to work out for it is kept in the user's cache. */
void public_keep(struct machine_library *library);
mpu_result public_target_open_diag(const char *name, const struct target_override *set,
                                   size_t count, struct diag *diag, mpu_target **out);
/* Builds a program from inputs of any kind that the driver takes; it is named after the first. */
mpu_result program_build_diag(mpu_source *source, struct diag *diag, mpu_program **out);
mpu_result program_file_diag(const char *path, struct diag *diag, mpu_program **out);

/* What runs on the target of that name: the program, or its variant there. */
const mpu_program *program_on(const mpu_program *program, const char *target);

/* ---- program_texts.c ---- */
/* Fills texts, variable_types, buffer_types and formulas of a program whose object is there. */
void program_list(mpu_program *program);

/* ---- program_defines.c ---- */
/* Constants of a source: those that were defined, and for a kernel in Python those that follow from
 * shapes. */
struct program_defines {
    VEC(struct asm_define) items;
    struct arena arena;
};
/* Fills an empty list, which program_defines_free releases after failures, too.  `options`: those
 * that the source is compiled with, but for the constants. */
mpu_result program_defines_find(const mpu_source *source, const struct driver_options *options,
                                struct program_defines *list, struct diag *diag);
void program_defines_free(struct program_defines *list);

/* ---- data.c ---- */
/* What is read, and for whom. */
struct data_wish {
    const char *name, *data;
    const struct ndarray
        *like;                /* type and shape for generators and .raw, which need them; or NULL */
    struct element_type real; /* of numbers in a text; bits 0: what these numbers need */
    uint64_t held;            /* bytes of other arrays that wait */
    bool hash;                /* from->sha256 is wanted; for a file it is computed here */
};
/* ---- room.c ---- */
/* Bytes that the state of a machine, or the data of a run, may take: beyond it they are refused,
 * not swapped. */
uint64_t room_limit(void);
/* False after reporting that `bytes` for `what` beside `held` are more than that; UINT64_MAX: more
 * than can be counted. */
bool room_for(const char *what, uint64_t bytes, uint64_t held, struct diag *diag);
/* The same for an array of elements of `bits`. */
bool room_for_array(const char *name, unsigned bits, uint32_t ndim, const uint64_t *shape,
                    uint64_t held, struct diag *diag);

/* The array of a file, of numbers or of a generator. */
mpu_result data_read(const struct data_wish *wish, struct data_source *from, struct ndarray *array,
                     struct diag *diag);
/* data_has_shape: true if the data can be read without knowing a shape.  data_is_file: if it names
 * a file. */
bool data_has_shape(const char *data);
bool data_is_file(const char *data);
/* Writes an array as file_write does; *bytes is the size of the file. */
mpu_result data_save(const char *path, const struct ndarray *array, uint64_t *bytes,
                     struct diag *diag);

/* ---- results.c ---- */
/* A view of what the machine holds under a name; the elements are the session's. */
mpu_result session_seen(mpu_session *session, const char *name, struct ndarray *view,
                        struct diag *diag);
/* What was read is no longer what the machine holds. */
void session_forget_views(mpu_session *session);

/* ---- expect.c ---- */
void session_forget_expected(mpu_session *session);

/* ---- session_watch.c ---- */
/* A run begins: ends the watching of the run before, if that was watched.  MPU_FILE after
 * reporting. */
mpu_result session_watching_begin(mpu_session *session, struct diag *diag);
/* The control path begins: the files that were asked for will be written. */
void session_watching_ran(mpu_session *session);
/* Ends watching; what could not be written is not reported. */
void session_watching_close(mpu_session *session);

/* ---- session.c ---- */
mpu_result session_new_diag(const mpu_program *program, const mpu_target *target,
                            const mpu_config *config, struct diag *diag, mpu_session **out);
/* The sink that a configuration of any version names; or NULL. */
mpu_messages *session_config_messages(const mpu_config *config);
/* `name` NULL: only the outputs are wanted. */
mpu_result session_want_diag(mpu_session *session, const char *name, struct diag *diag);
mpu_result session_bind_diag(mpu_session *session, const char *name, uint64_t value,
                             struct diag *diag);
mpu_result session_run_diag(mpu_session *session, struct diag *diag);

/* ---- prepare.c ---- */
/* Builds the package and opens the machine, unless done; writes what was put. */
mpu_result session_prepare(mpu_session *session, struct diag *diag);

/* ---- session_sizes.c ---- */
/* Gives values to the derived sizes whose operands have theirs. */
void session_settle(mpu_session *session);
/* Takes back the value of a given size, and those of derived ones that followed from it. */
void session_unbind(mpu_session *session, uint32_t size);
/* A size that nothing has bound takes its default, or the value that follows from defaults.  False
 * after reporting that the shape of `of` is not known. */
bool session_default(mpu_session *session, uint32_t size, const char *of, struct diag *diag);

/* ---- session_values.c ---- */
/* Type and shape of what is put to a link-time value, without data. */
void session_value_like(const struct value_decl *decl, struct ndarray *like,
                        struct element_type *held);
/* Takes elements of the value's type.  They are refused if their shape is another, or if the
 * package was made for other elements. */
mpu_result session_value_put(mpu_session *session, uint32_t value, enum source_form form,
                             const struct ndarray *array, struct diag *diag);
/* Fills `out` with those that were put; returns their number. */
size_t session_value_bindings(const mpu_session *session, struct size_binding *out);
/* A value that was not put gets the elements that the file's package was built for. */
void session_values_of_package(mpu_session *session, const struct package *package);
void session_values_free(mpu_session *session);

/* ---- host_rounds.c ---- */
static inline bool session_in_rounds(const mpu_session *session) {
    return session->package && session->package->rounds > 1;
}
/* The machine is open, and nothing was put. */
mpu_result session_rounds_open(mpu_session *session, struct diag *diag);
void session_rounds_close(mpu_session *session);
/* Puts the inputs of the first round; control_config.next_round then puts those of the others. */
mpu_result session_rounds_begin(mpu_session *session, struct diag *diag);
/* The control path has ended. */
mpu_result session_rounds_end(mpu_session *session);
/* The host has folded what it finishes. */
void session_rounds_finish(mpu_session *session);
/* False after reporting that a put or a run comes too late. */
bool session_rounds_accept(const mpu_session *session, const char *what, struct diag *diag);
/* False after reporting that a get comes too early. */
bool session_rounds_readable(const mpu_session *session, struct diag *diag);
/* What the rounds left of a variable; the array is the session's.  Rounds that were not reached
 * left 0. */
struct ndarray session_rounds_left(const mpu_session *session, const struct variable *variable);
/* Charges a get of the variable: a transfer for each round that had some of it. */
void session_rounds_charge_get(mpu_session *session, const struct variable *variable);

/* ---- host_finish.c ---- */
/* Before a run. */
mpu_result session_finish_begin(mpu_session *session, struct diag *diag);
/* Reads the elements that are on the machine: after a run, or after each round. */
void session_finish_collect(mpu_session *session);
/* Called when all elements are there: folds them. */
void session_finish_end(mpu_session *session);
/* Puts what the host made into an array of the variable's registers. */
void session_finish_give(const mpu_session *session, const struct variable *variable,
                         struct ndarray *array);
void session_finish_close(mpu_session *session);

/* ---- consumed.c ---- */
/* Called when the program ran, to its end or not: what it consumes is gone. */
void session_consumed_take(mpu_session *session);
/* False after reporting the inputs that were consumed and not put anew. */
bool session_consumed_anew(const mpu_session *session, struct diag *diag);
/* False after reporting that a run consumed the variable. */
bool session_consumed_readable(const mpu_session *session, uint32_t variable, struct diag *diag);
/* False after reporting that a run will consume it: for those who ask before the run. */
bool session_consumed_will_be_readable(const mpu_session *session, const struct place_name *name,
                                       struct diag *diag);

/* ---- fit.c ---- */
/* Called after the error that an array has another shape than `name`, with as many dimensions: adds
 * a note with the definitions of constants that would fit the array, if there are any. */
void session_note_fitting_constants(const struct object *object, const char *name,
                                    const uint64_t *shape, const struct ndarray *array,
                                    struct diag *diag);

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

/* ---- put.c, get.c ---- */
/* Takes the array over, or copies it if it is borrowed, and empties it; after a failure it is still
 * the caller's. */
mpu_result session_put_diag(mpu_session *session, const char *name, struct ndarray *array,
                            const struct data_source *from, struct diag *diag);
/* Writes to the machine, which exists, and charges. */
mpu_result session_put_now(mpu_session *session, const struct pending_put *put, struct diag *diag);
/* Puts the .data records, before anything else is put.  `again`: only those whose variables a run
 * consumed and nobody ever put. */
mpu_result session_put_data_records(mpu_session *session, bool again, struct diag *diag);
/* The .data records as puts that wait. */
mpu_result session_data_records(mpu_session *session, struct pending_list *out, struct diag *diag);
/* Reads the elements of the variable that are on the machine into their places in an array of all.
 */
void session_get_here(mpu_session *session, const struct variable *variable, struct ndarray *array);
mpu_result session_get_diag(mpu_session *session, const char *name, struct ndarray *array,
                            struct diag *diag);
/* The same for a caller who gives the array up before the session: its data may be the session's.
 */
mpu_result session_view_diag(mpu_session *session, const char *name, struct ndarray *array,
                             struct diag *diag);
/* Describes register `index` of a variable and element `index` of its array; the caller fills in
 * where they lie. */
struct dp_elements session_variable_elements(const mpu_session *session,
                                             const struct variable *variable, uint32_t index,
                                             const struct ndarray *array);
/* Visits the elements of a variable with a group that are on the machine, with their places in an
 * array of all elements: VRFs that are neighbours there are visited together, as a row. */
void session_each_row(mpu_session *session, const struct variable *variable,
                      const struct ndarray *array,
                      void (*visit)(struct datapath *dp, const struct dp_elements *x));
/* VRF number of a bare register's VRF, NO_INDEX after reporting. */
uint32_t session_bare_vrf(const mpu_session *session, const struct place_name *place_name,
                          const char *name, struct diag *diag);
uint32_t session_placement_vrf(const mpu_session *session, const struct placement *placement);
/* Where a variable without a group is read; NULL if there is no such place. */
const struct placement *session_first_placement(const struct package *package,
                                                const struct variable *variable);

/* ---- resident.c ---- */
/* The record of a place or a variable that is resident; NULL: it is not. */
struct session_resident *session_resident_register(mpu_session *session,
                                                   const struct place_name *name);
struct session_resident *session_resident_variable(mpu_session *session,
                                                   const struct variable *variable);
/* Counts a put or a get of it, which costs nothing. */
void session_resident_keep(struct session_resident *resident, enum host_way way,
                           const struct host_slice *slices, size_t count);
/* Who finishes reductions, where that is left open: the device if one of them is resident. */
enum finish_choice session_resident_finish(const mpu_session *session);
/* True unless the package leaves a resident reduction to the host. */
bool session_resident_fits(const mpu_session *session, const struct package *package);
/* False after reporting that a program with this package cannot have resident data. */
bool session_resident_possible(const mpu_session *session, struct diag *diag);
void session_residents_free(mpu_session *session);

/* ---- host_link.c ---- */
/* Charges a put or a get of these bytes of each VRF.  In rounds a transfer without a VRF does not
 * count.  `resident`: the record of the data, or NULL. */
void session_charge(mpu_session *session, struct session_resident *resident, enum host_way way,
                    const struct host_slice *slices, size_t count);
/* The same of bytes of the machine's memory, which need no turning into planes. */
void session_charge_memory(mpu_session *session, enum host_way way, const struct ndarray *array);
/* Charges a transfer of a variable with a group: of the first `elements` of its elements, those
 * that lie in `here`. */
void session_charge_group(mpu_session *session, const struct package *here,
                          const struct variable *variable, enum host_way way, uint64_t elements);
/* Charges a get of a variable without a group: element 0 of the first group. */
void session_charge_first(mpu_session *session, const struct variable *variable);

/* ---- stats.c ---- */
/* "done", "stopped", "limit", "interrupted", "differs". */
const char *session_end_name(enum control_end end);
/* MPU_USAGE before the first run. */
mpu_result session_figures(mpu_session *session, struct figures *out, struct diag *diag);
/* Appends them as "text", "json" or "csv"; `columns`: the width of the terminal that the text is
 * for, or 0. */
mpu_result session_stats_diag(mpu_session *session, const char *format, unsigned columns,
                              struct str *out, struct diag *diag);

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
