/* SPDX-License-Identifier: MIT
 * libmpu inside: what stands behind the handles of mpu/mpu.h, and the functions that the public
 * ones wrap.  These take a `struct diag`, so that messages keep their places and settings. */
#ifndef RUNTIME_INTERNAL_H
#define RUNTIME_INTERNAL_H

#include "emu/control/control.h"
#include "emu/report/report.h"
#include "ezpim/driver.h"
#include "runtime/include/mpu/mpu.h"
#include "support/array.h"
#include "target/host.h"

struct mpu_error {
    mpu_result code;
    struct str text;
};

struct mpu_messages {
    struct diag *d;
    mpu_message_function *consumer; /* NULL: none */
    void *context;
    struct str *text; /* where messages go as text, too, or NULL */
};

struct mpu_target {
    struct target *t;
    struct machine_library *library; /* what is built in for it */
};

struct mpu_program {
    struct object *object;
    char *name; /* as given */
    char sha256[65];
    struct arena texts;          /* that the functions about variables and sizes return */
    const char **variable_types; /* [object.vars.len + object.values.len] */
    const char **formulas;       /* [object.sizes.len], NULL: given */
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
    struct array like;
};
struct mpu_source {
    mpu_messages *messages;
    struct arena arena; /* names and texts */
    VEC(struct source_file) files;
    VEC(struct asm_define) defines;
    VEC(struct source_shape) shapes;
    const char *language, *entry; /* or NULL */
};

/* How values came to a variable. */
enum source_form {
    FORM_TYPED, /* a typed array: type and shape must be the variable's */
    FORM_TEXT,  /* numbers without a type; shape is free where the number of elements says it */
};
struct data_source {
    enum source_form form;
    const char *name; /* for provenance: "x.npy", "random:1", "call" */
    bool hash;        /* provenance has the SHA-256: of the file, given here, or of the elements */
    char sha256[65];
};

/* An array that was read from the machine: each name is fetched, and charged, once a run. */
struct session_view {
    char *name;
    struct array values;
};

/* What a name on the command line or in a call means. */
struct place_name {
    bool bare;
    uint32_t variable;      /* !bare */
    uint32_t mpu, rfh, vrf; /* bare; mpu == NO_INDEX: the image's first */
    uint8_t reg;
    bool typed; /* ":u8" was given */
    struct mpu_type type;
};

/* A put that waits until all sizes are bound. */
struct pending_put {
    struct place_name place;
    char *name;
    struct array values;
};
struct pending_list {
    struct pending_put *data;
    size_t len, cap;
};
void pending_free(struct pending_list *list);

struct session_input {
    char *name, *source;
    char sha256[65];
};

/* A program whose elements have no room at once runs in rounds (runtime/rounds.c). */
struct session_rounds {
    bool ran;
    uint64_t now, taken; /* the round at work; rounds whose results were kept */
    struct package view; /* the package as that round sees it; its placements live in `arena` */
    struct arena arena;
    struct str fresh;         /* the machine before anything was put */
    struct pending_list data; /* .data records */
    struct array *kept;       /* [object.vars.len]: what the rounds left of each variable, of those
                                 that are not unwanted */
    struct diag *d;           /* while the program runs */
    mpu_result result;        /* of the host's part of the run */
};

struct mpu_session {
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
    bool wanted;             /* it was said what is going to be read */
    uint8_t *unwanted;       /* [object.vars.len]: 1 of those that nobody will get */
    uint8_t *is_gone;        /* [object.vars.len]: a run consumed it, and nothing came anew */
    struct package *package; /* NULL until the first run or get */
    /* The same, or how the round at work sees it: where the elements on the machine lie. */
    const struct package *here;
    struct session_rounds rounds;
    /* runtime/finish.c, [object.finishes.len]; the elements while a program runs. */
    struct array *finish_elements;
    uint64_t *finish_values;
    bool finish_done; /* the values are those of the last run */
    struct datapath *dp;
    struct datapath *reference; /* golden, for control.order=paper under --check; else NULL */
    struct control *control;    /* of the last run, or NULL */
    enum control_end end;
    struct report_host host;
    VEC(struct session_view) views; /* results.c */
    struct watching *watching;      /* watch.c; NULL: nobody watches */
    uint64_t watch_first, watch_count;
    const char *const *command; /* for provenance; may be NULL */
    size_t command_count;
};

/* A number and the ending of its noun, for "%u MPU%s". */
#define COUNTED(n) (unsigned)(n), (n) == 1 ? "" : "s"

/* ---- name.c ---- */
/* False after reporting, with the nearest name. */
bool place_name_parse(const struct object *o, const char *name, struct place_name *out,
                      struct diag *d);

/* "its sizes are: n, m": behind the message about a name that is none of them. */
void note_names(const char *what, const char *const *names, size_t count, struct diag *d);

/* ---- values.c ---- */
/* The type that files and arrays have for a variable's type: the smallest that holds it. */
struct element_type host_type(struct mpu_type t);
/* True if the element (as array_get gives it, of type `from`) is a value of `to`. */
bool value_fits(struct element_type from, uint64_t pattern, struct mpu_type to);
/* Checks every element; false after reporting the first that does not fit, with its index. */
bool values_fit(const char *name, const struct array *a, struct mpu_type to, struct diag *d);
/* Appends "[3, 4]" for element i of a. */
void index_text(const struct array *a, uint64_t i, struct str *out);

/* ---- target.c, program.c ---- */
mpu_result target_open_diag(const char *name, const struct target_override *set, size_t count,
                            struct diag *d, mpu_target **out);
/* Inputs of any kind that the driver takes, linked; the program is named after the first. */
mpu_result source_build_diag(mpu_source *s, struct diag *d, mpu_program **out);
mpu_result program_file_diag(const char *path, struct diag *d, mpu_program **out);
mpu_result program_bytes_diag(const char *name, const void *bytes, size_t size, struct diag *d,
                              mpu_program **out);

/* ---- list.c ---- */
/* The texts of a program whose object is there. */
void program_list(mpu_program *p);

/* ---- follow.c ---- */
/* Constants of a source: what was defined, and of a kernel in Python what follows from shapes. */
struct source_defines {
    VEC(struct asm_define) items;
    struct arena arena;
};
/* Of an empty list; source_defines_free releases it after failures, too.  `options` are those that
 * the source is compiled with, but for the constants. */
mpu_result source_defines_find(const mpu_source *s, const struct driver_options *options,
                               struct source_defines *list, struct diag *d);
void source_defines_free(struct source_defines *list);

/* ---- data.c ---- */
/* The array of a file or of numbers; generators and .raw need the shape, given by `like`.  `hash`:
 * from->sha256 is wanted, of a file here and now. */
mpu_result data_read(const char *name, const char *data, const struct array *like, bool hash,
                     struct data_source *from, struct array *a, struct diag *d);
/* True if the data can be read without knowing a shape; if it names a file. */
bool data_has_shape(const char *data);
bool data_is_file(const char *data);
/* False after reporting that files of that name hold no arrays. */
bool data_suffix_known(const char *path, struct diag *d);
/* As file_write does it; *bytes is the size of the file. */
mpu_result array_save(const char *path, const struct array *a, uint64_t *bytes, struct diag *d);
mpu_result session_put_data_diag(mpu_session *s, const char *name, const char *data,
                                 uint64_t *count, struct diag *d);

/* ---- results.c ---- */
/* A view of what the machine holds under a name; the elements are the session's. */
mpu_result session_seen(mpu_session *s, const char *name, struct array *view, struct diag *d);
/* What was read is no longer what the machine holds. */
void session_forget_views(mpu_session *s);

/* ---- watch.c ---- */
/* A run begins: the one before was watched to its end.  MPU_FILE after reporting. */
mpu_result watching_begin(mpu_session *s, struct diag *d);
/* The control path begins: what was asked for is going to be written. */
void watching_ran(mpu_session *s);
/* Ends watching; nobody is told what could not be written. */
void watching_close(mpu_session *s);

/* ---- session.c ---- */
mpu_result session_new_diag(const mpu_program *p, const mpu_target *t, const mpu_config *config,
                            struct diag *d, mpu_session **out);
/* The sink that a configuration names, of whatever version; or NULL. */
mpu_messages *config_messages(const mpu_config *config);
/* name may be NULL: the outputs alone. */
mpu_result session_want_diag(mpu_session *s, const char *name, struct diag *d);
mpu_result session_bind_diag(mpu_session *s, const char *name, uint64_t value, struct diag *d);
mpu_result session_run_diag(mpu_session *s, struct diag *d);

/* ---- prepare.c ---- */
/* Builds the package and opens the machine, unless done; writes what was put. */
mpu_result session_prepare(mpu_session *s, struct diag *d);

/* ---- sizes.c ---- */
/* Values for the derived sizes whose operands have theirs. */
void session_settle(mpu_session *s);
/* Takes the value of a given size back, and of derived ones that had theirs from it. */
void session_unbind(mpu_session *s, uint32_t size);
/* A size that nothing has bound takes its default, or the value that follows from defaults.  False
 * after reporting that the shape of `of` is not known. */
bool session_default(mpu_session *s, uint32_t size, const char *of, struct diag *d);

/* ---- link_values.c ---- */
/* Type and shape of what is put to a link-time value, without data. */
void link_value_like(const struct value_decl *v, struct array *like, struct element_type *held);
/* Takes elements that are of the type; of another shape, or others than the package was made for,
 * they are refused. */
mpu_result link_value_put(mpu_session *s, uint32_t value, enum source_form form,
                          const struct array *a, struct diag *d);
/* Those that were put; returns their number. */
size_t link_value_bindings(const mpu_session *s, struct size_binding *out);
/* A value that nothing else gives elements has those that the file's package was built for. */
void link_values_of_package(mpu_session *s, const struct package *p);
void link_values_free(mpu_session *s);

/* ---- rounds.c ---- */
static inline bool in_rounds(const mpu_session *s) {
    return s->package && s->package->rounds > 1;
}
/* The machine is open, and nothing was put. */
mpu_result rounds_open(mpu_session *s, struct diag *d);
void rounds_close(mpu_session *s);
/* Puts the inputs of the first round; control_config then asks for those of the others. */
mpu_result rounds_begin(mpu_session *s, struct diag *d);
/* The control path has ended. */
mpu_result rounds_end(mpu_session *s);
/* The host has folded what it finishes. */
void rounds_finish(mpu_session *s);
/* False after reporting that a put or a run comes too late. */
bool rounds_accept(const mpu_session *s, const char *what, struct diag *d);
/* False after reporting that a get comes too early. */
bool rounds_readable(const mpu_session *s, struct diag *d);
/* What the rounds left of a variable, which is the session's; those that were not reached left 0.
 */
struct array rounds_left(const mpu_session *s, const struct variable *v);
/* A get of the variable: a transfer for each round that had some of it. */
void rounds_charge_get(mpu_session *s, const struct variable *v);

/* ---- finish.c ---- */
/* Before a run. */
mpu_result finish_begin(mpu_session *s, struct diag *d);
/* The elements that are on the machine; after a run, or after each round. */
void finish_collect(mpu_session *s);
/* All of them are there: folds. */
void finish_end(mpu_session *s);
/* Puts what the host made into an array of v's registers. */
void finish_give(const mpu_session *s, const struct variable *v, struct array *a);
void finish_close(mpu_session *s);

/* ---- consumed.c ---- */
/* The program ran, to its end or not, and took what it consumes. */
void consumed_take(mpu_session *s);
/* False after reporting the inputs that were consumed and not put anew. */
bool consumed_anew(const mpu_session *s, struct diag *d);
/* False after reporting that a run consumed the variable. */
bool consumed_readable(const mpu_session *s, uint32_t variable, struct diag *d);
/* False after reporting that a run is going to: for those who ask before it. */
bool consumed_will_be_readable(const mpu_session *s, const struct place_name *p, struct diag *d);

/* ---- fit.c ---- */
/* Below an error about an array of another shape than the one that `name` has, of as many
 * dimensions: a note of the definitions of constants that would fit it, if there are any. */
void note_fitting_constants(const struct object *o, const char *name, const uint64_t *shape,
                            const struct array *a, struct diag *d);

/* ---- shape.c ---- */
/* Makes sizes of a put's shape known, checks it, and gives FORM_TEXT arrays their shape. */
mpu_result shape_accept(mpu_session *s, const struct place_name *p, const char *name,
                        enum source_form form, struct array *a, struct diag *d);
/* Whether what was put before all sizes were known has the shape that came of them.  False after
 * reporting. */
bool shape_still_fits(const mpu_session *s, const struct pending_put *p, struct diag *d);
/* Dimensions of a variable's array. */
uint32_t variable_dims(const struct object *o, const struct variable *v);
/* The extent of the group, or of the array's own shape, that is dimension i; NULL: of neither. */
const struct extent *variable_extent(const struct object *o, const struct variable *v, uint32_t i);
/* How often that extent goes into dimension i; without one the dimension itself: of the MPU grid,
 * or k of T[k]. */
uint64_t variable_times(const struct object *o, const struct variable *v, uint32_t i);
/* Shape of a variable; every size must be bound. */
void variable_shape(const mpu_session *s, const struct variable *v, uint32_t *ndim,
                    uint64_t shape[ARRAY_MAX_DIMS]);
uint64_t group_size(const mpu_session *s, uint32_t group);

/* Type and shape of what a get of `name` would give, without data; sizes that nothing has bound
 * take their defaults.  *held: kind and bits of what a register holds, which the file's type may
 * exceed. */
mpu_result session_shape_diag(mpu_session *s, const char *name, struct array *like,
                              struct element_type *held, struct diag *d);

/* ---- put.c, get.c ---- */
/* Takes the array over, or copies it if it is borrowed, and empties it; after a failure it is the
 * caller's still. */
mpu_result session_put_diag(mpu_session *s, const char *name, struct array *a,
                            const struct data_source *from, struct diag *d);
/* The machine exists: writes and charges. */
mpu_result put_now(mpu_session *s, const struct pending_put *p, struct diag *d);
/* .data records, before anything is put; again: those alone whose variables a run consumed and that
 * nobody ever put. */
mpu_result put_data_records(mpu_session *s, bool again, struct diag *d);
/* The same as puts that wait. */
mpu_result data_records(mpu_session *s, struct pending_list *out, struct diag *d);
/* The elements of the variable that are on the machine, into their places in an array of all. */
void get_here(mpu_session *s, const struct variable *v, struct array *a);
mpu_result session_get_diag(mpu_session *s, const char *name, struct array *a, struct diag *d);
/* The same for who lets the array go before the session: data may be the session's. */
mpu_result session_view_diag(mpu_session *s, const char *name, struct array *a, struct diag *d);
/* Register k of a variable and element k of an array of it, to be given their place. */
struct dp_elements variable_elements(const mpu_session *s, const struct variable *v, uint32_t k,
                                     const struct array *a);
/* Visits the elements of a variable with a group that are on the machine, with their places in an
 * array of all: in rows of VRFs that are neighbours there. */
void each_row(mpu_session *s, const struct variable *v, const struct array *a,
              void (*visit)(struct datapath *dp, const struct dp_elements *x));
/* VRF number of a bare register's VRF, NO_INDEX after reporting. */
uint32_t bare_vrf(const mpu_session *s, const struct place_name *p, const char *name,
                  struct diag *d);
uint32_t placement_vrf(const mpu_session *s, const struct placement *p);
/* The placements of group g: [*first, *first + result). */
size_t group_placements(const struct package *p, uint32_t g, size_t *first);
/* Where a variable without a group is read; NULL if that has no place. */
const struct placement *first_placement(const struct package *p, const struct variable *v);

/* ---- host.c ---- */
/* A put or a get of these bytes of each VRF.  In rounds one that has no VRF is none. */
void host_charge(mpu_session *s, enum host_way way, const struct host_slice *slices, size_t count);
/* Of a variable with a group, as far as its elements lie there and are the first `elements`. */
void host_charge_group(mpu_session *s, const struct package *here, const struct variable *v,
                       enum host_way way, uint64_t elements);
/* A get of a variable without a group: element 0 of the first group. */
void host_charge_first(mpu_session *s, const struct variable *v);

/* ---- stats.c ---- */
/* "done", "stopped", "limit", "interrupted", "differs". */
const char *session_end_name(enum control_end end);
/* MPU_USAGE before the first run. */
mpu_result session_figures(mpu_session *s, struct figures *out, struct diag *d);
/* Appends them as "text", "json" or "csv"; `columns`: of the terminal that text is for, or 0. */
mpu_result session_stats_diag(mpu_session *s, const char *format, unsigned columns, struct str *out,
                              struct diag *d);

/* ---- public_array.c ---- */
/* The array of the API, whose data are those of `a`. */
mpu_type public_type(struct element_type t);
mpu_array public_array(const struct array *a);
/* False if the type or the shape is none; *out borrows the data.  without: it has none. */
bool array_of_public(const mpu_array *a, bool without, struct array *out);

/* ---- messages.c ---- */
/* Calls of the public API: messages go to `d`, and from there to the caller's sink, if there is
 * one, and error, if it is wanted. */
struct call {
    struct diag *d;
    mpu_messages *sink;
    bool owned; /* the sink is the call's own */
    mpu_error **error;
    struct str text;
};
void call_begin(struct call *c, mpu_messages *sink, mpu_error **error);
/* Returns r. */
mpu_result call_end(struct call *c, mpu_result r);
/* The text, which is the caller's from then on; *s is empty. */
char *text_out(struct str *s);

#endif
