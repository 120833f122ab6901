/* SPDX-License-Identifier: MIT
 * A session: a program on a target with its data, from the first put to its statistics.  The public
 * functions wrap these, which take a `struct diag`, so that messages keep their places and
 * settings. */
#ifndef RUNTIME_SESSION_H
#define RUNTIME_SESSION_H

#include "emu/control/control.h"
#include "emu/report/report.h"
#include "runtime/place.h"
#include "runtime/program.h"
#include "target/host.h"

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

/* Buffers of the program; buffers.c. */
struct session_buffers {
    bool launches; /* the target launches the program's kernels: buffers are there */
    struct variable *as_variables;  /* [object.buffers.len]: to shapes and types */
    uint8_t *was_put, *was_read;    /* likewise */
    uint64_t *addresses;            /* likewise, on the machine: of the first unit's own bytes */
    uint64_t *strides;              /* likewise, to those of the next unit; 0: it lies flat */
    struct package_layout *layouts; /* likewise */
    bool there;                     /* they have their memory: of the round at work */
    struct ndarray *kept;           /* [object.buffers.len]: what rounds left; NULL: none ran */
    uint64_t *modules;              /* [object.modules.len]: what their entries share; 0: nothing */
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
    const char *engine_name; /* of the engine that is at work, or is checked */
    bool golden;             /* the engine is golden, which has no costs */
    struct session_buffers buffers;
    const struct datapath_ops *ops;
    struct control_config control_config;
    struct dp_setup setup;
    struct program_library library; /* of the program on the target */
    int64_t *sizes;                 /* [object.sizes.len] */
    uint8_t *size_bound;            /* [object.sizes.len]: 1 once the value stands */
    uint64_t **elements;            /* [object.values.len]: what was put, or NULL */
    struct pending_list pending;
    bool lends; /* arrays that are put stay where they are until the run: nothing is copied */
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
    struct session_pipeline *pipeline; /* session_pipeline.c; NULL: the program is none */
    const char *const *command;        /* for provenance; may be NULL */
    size_t command_count;
};

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

/* ---- stats.c ---- */
/* "done", "stopped", "limit", "interrupted", "differs". */
const char *session_end_name(enum control_end end);
/* MPU_USAGE before the first run. */
mpu_result session_figures(mpu_session *session, struct figures *out, struct diag *diag);
/* Appends them as "text", "json" or "csv"; `columns`: the width of the terminal that the text is
 * for, or 0. */
mpu_result session_stats_diag(mpu_session *session, const char *format, unsigned columns,
                              struct str *out, struct diag *diag);

#endif
