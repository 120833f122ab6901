/* SPDX-License-Identifier: MIT
 * libmpu: run MPU programs from C.  Everything that the tool mpu-run does can be done with this
 * header.
 *
 *     mpu_target *t = mpu_target_open("racer", NULL, &e);
 *     mpu_program *p = mpu_program_load_file("axpy.mpu", &e);
 *     mpu_session *s = mpu_session_new(p, t, NULL, &e);
 *     mpu_session_bind_size(s, "n", 1000, &e);
 *     mpu_session_put(s, "x", &array, &e); ... mpu_session_run(s, &e);
 *     mpu_session_get(s, "z", &array, &e);
 *
 * All handles are opaque.  A function that can fail takes a `mpu_error **` (may be NULL): on
 * failure it returns a code below 0 (mpu_result) or NULL, and stores an error to be released by
 * mpu_error_free.  Two threads must not use one object at the same time; different sessions are
 * independent, unless they have one sink for messages.  The library prints nothing and keeps no
 * globals.
 *
 * Texts are UTF-8 and end with a NUL.  Unless something else is said, a text that is given is
 * copied, and what is returned as `const` belongs to the handle and lives as long as it.  The
 * caller owns each `char *` that is returned, and releases it with mpu_string_free.  Closing and
 * freeing NULL does nothing. */
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

/* The API version; minor versions add: functions, fields of mpu_config, numbers of enumerations;
 * major versions break.  Compare with mpu_api_version(): a library of this number, or of a higher
 * minor one, has all that stands here.  So whatever adds to this header raises the number with it,
 * between two releases as well (a test holds the list of functions). */
#define MPU_API_MAJOR 0
#define MPU_API_MINOR 11

typedef struct mpu_target mpu_target;
typedef struct mpu_source mpu_source;
typedef struct mpu_program mpu_program;
typedef struct mpu_session mpu_session;
typedef struct mpu_sweep mpu_sweep;
typedef struct mpu_record mpu_record;
typedef struct mpu_device mpu_device;
typedef struct mpu_vector mpu_vector;
typedef struct mpu_buffer mpu_buffer;
typedef struct mpu_module mpu_module;
typedef struct mpu_kernel mpu_kernel;
typedef struct mpu_messages mpu_messages;
typedef struct mpu_message mpu_message;
typedef struct mpu_error mpu_error;

typedef enum mpu_result {
    MPU_OK = 0,
    MPU_REJECTED = -1, /* the input was rejected */
    MPU_USAGE = -2,    /* a call that makes no sense (unknown name, wrong order) */
    MPU_FILE = -3,     /* a file could not be read or written */
    MPU_STOPPED = -4,  /* the emulated program stopped on an error, a limit or an interrupt */
    MPU_DIFFERS = -5, /* --check found strict and golden to differ, or values are not as expected */
    MPU_CAPACITY = -6, /* the machine has no room, or the host has no memory */
    MPU_RESULT_FORCE_32_BIT = 0x7fffffff
} mpu_result;

/* Element types of arrays: NumPy's names ("uint8", "int32", "bool"), and ml_dtypes' "bfloat16". */
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
    MPU_F16, /* IEEE 754 binary16, binary32, binary64 */
    MPU_F32,
    MPU_F64,
    MPU_BF16, /* "bfloat16": the upper half of an MPU_F32 */
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
MPU_API void mpu_string_free(char *s);

/* ---- errors and messages ----
 * A failure has a code and messages: errors, each with its notes, and the warnings before them.  An
 * mpu_error has them as text.  A caller that wants the warnings of calls that succeed, the places
 * of messages, or the settings of the tools' -W makes a sink for messages and gives it to targets,
 * sources and sessions. */

MPU_API mpu_result mpu_error_code(const mpu_error *e);
/* All messages, one a line, as the tools print them. */
MPU_API const char *mpu_error_text(const mpu_error *e);
MPU_API void mpu_error_free(mpu_error *e);

typedef enum mpu_severity {
    MPU_NOTE,    /* belongs to the message before it */
    MPU_WARNING, /* the work was done, but is perhaps not what was meant */
    MPU_ERROR,   /* the input was rejected */
    MPU_SEVERITY_FORCE_32_BIT = 0x7fffffff
} mpu_severity;

/* The message is valid until the function returns; the function must not call anything of the sink.
 */
typedef void mpu_message_function(void *context, const mpu_message *m);

/* As a message may get notes, `consumer` gets it only when the next message comes, at
 * mpu_messages_flush or at mpu_messages_free.  consumer NULL: messages are only counted.  The sink
 * must outlive whatever it was given to; it keeps the sources that messages point into. */
MPU_API mpu_messages *mpu_messages_new(mpu_message_function *consumer, void *context);
MPU_API void mpu_messages_free(mpu_messages *m);
/* A setting as after -W of the tools ("error", "no-uninitialized", "error=spill"), for later calls.
 * MPU_USAGE if there is none of that name. */
MPU_API mpu_result mpu_messages_set_warning(mpu_messages *m, const char *flag);
/* Errors beyond so many are counted and not told; 0: no limit.  Without this call 20. */
MPU_API void mpu_messages_set_max_errors(mpu_messages *m, uint32_t most);
/* A message of the caller's own, one line without a newline, among the library's.  A note belongs
 * to the latest message, and is dropped with it. */
MPU_API void mpu_messages_add(mpu_messages *m, mpu_severity severity, const char *text);
MPU_API void mpu_messages_flush(mpu_messages *m);
/* The number of errors so far, with those that were not told. */
MPU_API uint32_t mpu_messages_errors(const mpu_messages *m);

MPU_API mpu_severity mpu_message_severity(const mpu_message *m);
MPU_API const char *mpu_message_text(const mpu_message *m); /* one line */
/* The name of the warning behind -W, also if it became an error; NULL: it is none. */
MPU_API const char *mpu_message_warning(const mpu_message *m);
/* Where it points: the name of a file, or NULL; line and column from 1, columns in bytes, 0 where
 * they are not known. */
MPU_API const char *mpu_message_file(const mpu_message *m);
MPU_API uint32_t mpu_message_line(const mpu_message *m);
MPU_API uint32_t mpu_message_column(const mpu_message *m);
MPU_API size_t mpu_message_note_count(const mpu_message *m);
/* i < mpu_message_note_count(m). */
MPU_API const mpu_message *mpu_message_note(const mpu_message *m, size_t i);
/* The message with its notes as the tools print it, with the line that it points at: "text",
 * "color" (the same for terminals), "json" (one object).  Any other form counts as "text".
 * `prefix` stands before messages without a place; may be NULL.  Ends with a newline. */
MPU_API char *mpu_message_format(const mpu_message *m, const char *form, const char *prefix);

/* ---- targets ---- */

/* A built-in target by name or a YAML file by path; `set` is NULL or "key=value" strings ending
 * with NULL. */
MPU_API mpu_target *mpu_target_open(const char *name, const char *const *set, mpu_error **error);
/* The same, with messages to a sink, which may be NULL. */
MPU_API mpu_target *mpu_target_open_with(const char *name, const char *const *set,
                                         mpu_messages *messages, mpu_error **error);
/* From now on what takes long to work out for the target is kept from one process to the next, in
 * the user's cache: mpu below $XDG_CACHE_HOME, else below $HOME/.cache, else nowhere
 * (docs/cli.md).  Results, statistics and messages do not depend on it.  To be called while no
 * other thread uses the target. */
MPU_API void mpu_target_use_cache(mpu_target *t);
MPU_API const char *mpu_target_name(const mpu_target *t);
MPU_API void mpu_target_close(mpu_target *t);

/* The name of built-in target number i, from 0; NULL behind the last. */
MPU_API const char *mpu_target_builtin(size_t i);
/* One line about a built-in target; NULL if there is none of that name. */
MPU_API const char *mpu_target_summary(const char *name);
/* A number of the target: "lanes" of a VRF, "vrf_per_rfh", "rfh_per_mpu", "mpus" of the chip,
 * "assumed" (how many of its numbers no source gives), "datapath_ps" (the period of its clock).  A
 * built-in target with fewer rows in a lane than 64 registers could take also has "rows" and
 * "rows_least" (rows for registers beside the instruction with most scratch), and "row_bits", the
 * bits of a register that one of them holds: 1, or on a partitioned array, where rows are columns,
 * one in each partition.  MPU_USAGE if there is no such number; golden has no "mpus", no "assumed"
 * and no "datapath_ps". */
MPU_API mpu_result mpu_target_number(const mpu_target *t, const char *name, uint64_t *value);
/* All numbers of the target with their sources, and what `set` takes, as text for people. */
MPU_API char *mpu_target_print(const mpu_target *t);
MPU_API char *mpu_target_keys(const mpu_target *t);
/* The name of format number i, from 0, in which mpu_session_watch can write micro-ops: "text",
 * "csv", "dram", "pypim", "pypim-hex"; NULL behind the last.  A target may refuse a format. */
MPU_API const char *mpu_target_uop_format(const mpu_target *t, size_t i);

/* ---- sources and programs ---- */

/* .mpu bytes, or a file: .mpu, .o, .s, .ez, .py (compiled and linked on the way). */
MPU_API mpu_program *mpu_program_load(const void *bytes, size_t size, mpu_error **error);
MPU_API mpu_program *mpu_program_load_file(const char *path, mpu_error **error);
MPU_API void mpu_program_free(mpu_program *p);

/* What a program is made from: files and texts in memory, in the order in which they are added, and
 * how they are compiled.  messages may be NULL. */
MPU_API mpu_source *mpu_source_new(mpu_messages *messages);
MPU_API void mpu_source_free(mpu_source *s);
/* A file; "-" is standard input, which is read once. */
MPU_API void mpu_source_add_file(mpu_source *s, const char *path);
/* A source or object in memory (copied), which stands for a file of that name: the suffix says what
 * it is, unless mpu_source_set_language does. */
MPU_API void mpu_source_add_text(mpu_source *s, const char *name, const void *bytes, size_t size);
/* Everything that is added is of this language, "ez", "py", "s", "erc" or "rc", whatever its
 * suffix; MPU_USAGE for another name. */
MPU_API mpu_result mpu_source_set_language(mpu_source *s, const char *language);
/* "NAME=NUMBER", or "NAME" for 1: the constant has this value instead of the one that a source
 * declares, as with -D.  MPU_USAGE for another form. */
MPU_API mpu_result mpu_source_define(mpu_source *s, const char *text);
/* What is built is a program of subroutines for mpu_call, which no session runs: sources that have
 * no `main`, and objects of such. */
MPU_API void mpu_source_set_parts(mpu_source *source);
/* Where the program begins; for a kernel in Python, the name of the function. */
MPU_API void mpu_source_set_entry(mpu_source *s, const char *name);
/* The program may run on that target: a built-in name or a YAML file.  Where the text that all get
 * takes more of a lane than there is, a text of its own is compiled for it if that goes, and a
 * warning says so; sessions on that target run it.  Results are the same.  Where it does not go,
 * there the program is refused when it is prepared.  Without any target all built-in ones may get
 * one. */
MPU_API void mpu_source_for_target(mpu_source *s, const char *target);
/* ezpim's -fspill: variables for which there is no room may lie in VRFs of their own. */
MPU_API void mpu_source_set_spill(mpu_source *s, int spill);
/* For what is worked out for these targets, mpu_target_use_cache. */
MPU_API void mpu_source_use_cache(mpu_source *s);
/* For a kernel in Python: a constant that is an extent of this parameter by itself gets the extent
 * that the array of `data` has there, unless mpu_source_define or an earlier call of this function
 * set it.  For other sources, other parameters and data without a shape of their own nothing
 * changes. */
MPU_API void mpu_source_follow(mpu_source *s, const char *parameter, const char *data);
/* The same with the extents of an array, shape[ndim], 0 to 8 of them. */
MPU_API void mpu_source_follow_shape(mpu_source *s, const char *parameter, uint32_t ndim,
                                     const uint64_t *shape);
/* Of a file of kernels (a text whose form declares them, "axpy.core"): the program that is made of
 * it launches one, "axpy<<<n / 16, 16>>>(x, y, n)", as `.launch` of docs/assembly.md does; called
 * several times, one after another.  Names in its formulas are sizes of the program.  Names of
 * buffers declare these, with one dimension and the type of the parameter, unless
 * mpu_source_add_buffer does; those for which mpu_source_follow was called are inputs, and all are
 * outputs. */
MPU_API void mpu_source_add_launch(mpu_source *s, const char *launch);
/* A buffer of such a program, "y: f32[n, 4]". */
MPU_API void mpu_source_add_buffer(mpu_source *s, const char *buffer);
/* Compiles and links what was added; the source may be freed or changed afterwards. */
MPU_API mpu_program *mpu_source_build(mpu_source *s, mpu_error **error);
/* File number i, from 0, that building read: the sources, and what they include; NULL behind the
 * last. */
MPU_API const char *mpu_source_file(const mpu_source *s, size_t i);

/* As it was given: "axpy.ez"; "program" of bytes. */
MPU_API const char *mpu_program_name(const mpu_program *p);
/* SHA-256 of the linked program, 64 lower-case hexadecimal digits. */
MPU_API const char *mpu_program_sha256(const mpu_program *p);
MPU_API size_t mpu_program_instruction_count(const mpu_program *p);

/* Sizes are numbered from 0; a user gives some of them, and the others follow from these. */
MPU_API size_t mpu_program_size_count(const mpu_program *p);
MPU_API const char *mpu_program_size_name(const mpu_program *p, size_t i);
/* The formula that a size follows from; NULL: a user gives the size. */
MPU_API const char *mpu_program_size_formula(const mpu_program *p, size_t i);
/* Its default, and the largest value that it may have (at most 2^40); 0: none. */
MPU_API uint64_t mpu_program_size_default(const mpu_program *p, size_t i);
MPU_API uint64_t mpu_program_size_bound(const mpu_program *p, size_t i);

/* Variables are numbered from 0 in the order in which they are declared; behind them link-time
 * values, whose elements stand in the program's text. */
#define MPU_IN         1u
#define MPU_OUT        2u
#define MPU_CONSUMED   4u /* beside MPU_IN: it cannot be read after a run */
#define MPU_LINK_VALUE 8u /* beside MPU_IN: given before the first run, and never read */
MPU_API size_t mpu_program_variable_count(const mpu_program *p);
/* Its number; SIZE_MAX if there is none of that name. */
MPU_API size_t mpu_program_find_variable(const mpu_program *p, const char *name);
MPU_API const char *mpu_program_variable_name(const mpu_program *p, size_t i);
/* MPU_IN, MPU_OUT, ... or-ed together; 0: the variable is the program's own. */
MPU_API uint32_t mpu_program_variable_use(const mpu_program *p, size_t i);
/* The type that its registers hold ("i32", "u5", "bool"); and the type that its arrays have. */
MPU_API const char *mpu_program_variable_type(const mpu_program *p, size_t i);
MPU_API mpu_type mpu_program_variable_array_type(const mpu_program *p, size_t i);
/* How many dimensions its arrays have, 0 to 8; and the extent of dimension number `dimension`, from
 * 0.  With *size NULL the extent is the number that is returned, else that many times the size that
 * *size names (by its formula where it has no name).  size may be NULL. */
MPU_API uint32_t mpu_program_variable_ndim(const mpu_program *p, size_t i);
MPU_API uint64_t mpu_program_variable_extent(const mpu_program *p, size_t i, uint32_t dimension,
                                             const char **size);

/* Buffers, numbered from 0: arrays in the memory of a machine, on which its kernels work.  They are
 * put and read by name, as variables are.  A variable of the same name stands for one (direction,
 * type and shape are the same), and then both lists have that name. */
MPU_API size_t mpu_program_buffer_count(const mpu_program *p);
/* Its number; SIZE_MAX if there is none of that name. */
MPU_API size_t mpu_program_find_buffer(const mpu_program *p, const char *name);
MPU_API const char *mpu_program_buffer_name(const mpu_program *p, size_t i);
/* MPU_IN and MPU_OUT or-ed together; 0: the buffer is the program's own. */
MPU_API uint32_t mpu_program_buffer_use(const mpu_program *p, size_t i);
/* The type of an element ("u32"); that of arrays of it; dimensions, 0 (one element) to 8, and
 * extents as of a variable. */
MPU_API const char *mpu_program_buffer_type(const mpu_program *p, size_t i);
MPU_API mpu_type mpu_program_buffer_array_type(const mpu_program *p, size_t i);
MPU_API uint32_t mpu_program_buffer_ndim(const mpu_program *p, size_t i);
MPU_API uint64_t mpu_program_buffer_extent(const mpu_program *p, size_t i, uint32_t dimension,
                                           const char **size);

/* ---- data as text ----
 * What --in and --expect of mpu-run take: the path of a .npy, .pgm, .ppm, .csv, .txt or .raw file,
 * "-" (standard input, whose bytes say what it is; it can be read once), "1,2,-3", "1.5,-inf,nan",
 * "zeros", "iota", "random:SEED" or "random:SEED:LO..HI".  The rest of this header calls such a
 * text `data`. */

/* Whether the data have a shape of their own: .raw files and generated data have none. */
MPU_API int mpu_data_has_shape(const char *data);
/* Whether it is a path. */
MPU_API int mpu_data_is_file(const char *data);
/* MPU_REJECTED unless the name of the file ends like those of a format for arrays. */
MPU_API mpu_result mpu_data_check_path(const char *path, mpu_messages *messages, mpu_error **error);
/* Reads an array, to be released by mpu_array_free.  Its type is that of the file; numbers become
 * int64, or uint64 where a value needs it, or float64 where one is no integer.  `like` gives type
 * and shape to data that have none (like->data is not used); if it is NULL such data are
 * MPU_REJECTED. Where its type is of floating point, numbers of a text are rounded to it. */
MPU_API mpu_result mpu_array_read(const char *data, const mpu_array *like, mpu_array *a,
                                  mpu_error **error);
/* Writes in the format that the name ends in; the file appears whole or not at all. */
MPU_API mpu_result mpu_array_write(const mpu_array *a, const char *path, mpu_error **error);
MPU_API void mpu_array_free(mpu_array *a);

/* ---- sessions ---- */

typedef struct mpu_config {
    uint32_t size;        /* sizeof(mpu_config): versions the struct */
    const char *engine;   /* "fused" (NULL, unless MPU_ENGINE names it), "strict", "golden" */
    const char *batch;    /* "target" (NULL), "one", "all" */
    const char *init;     /* "zero" (NULL), "random:SEED" */
    int check;            /* not 0: golden runs beside, compared after every ensemble */
    uint64_t max_cycles;  /* 0 = none */
    uint64_t max_seconds; /* 0 = none */
    void (*print)(void *context, const char *line); /* PRINT lines; NULL: dropped */
    void *print_context;
    const volatile int *interrupted; /* stop when nonzero; may be NULL */
    /* Called about once a second of the host's time while the program runs; may be NULL. */
    void (*progress)(void *context, uint64_t seconds, uint64_t ensembles, uint64_t cycles);
    void *progress_context;
    /* Host threads that the program may run on, 1 to MPU_MAX_THREADS; 0: as many as there are
     * processors.  Neither results nor statistics depend on it; print and progress are called on
     * the thread that called mpu_session_run. */
    uint32_t threads;
    /* Nonzero: the SHA-256 of what was put is not wanted; statistics have null for it. */
    int unhashed;
    /* Where groups lie on the chip: "packed" into few MPUs, "spread" over all, "auto": whichever
     * takes less time.  NULL: as in the package for the target, if the program comes with one, else
     * auto. */
    const char *place;
    /* Who finishes reductions that the host may finish: "device" in place, "host", "auto": whoever
     * takes less time.  NULL: as in the package for the target, if the program comes with one, else
     * auto. */
    const char *finish;
    mpu_messages *messages; /* gets the session's messages; NULL: only errors tell theirs */
    /* Of a device: what becomes of vectors for which there are no rows.  "auto" (NULL): the one
     * that was not used for longest goes to the host, charged as a get, and comes back when it is
     * needed, as a put; "never": MPU_CAPACITY. */
    const char *spill;
    /* Of a device: bytes of the host's memory that it may keep, about, of programs that it has
     * made, their code and the libraries that were called; 0: 128 MiB.  What was not used for
     * longest goes first, and is made again when it is needed: neither results nor statistics
     * depend on it. */
    uint64_t device_bytes;
    /* Nonzero: mpu_target_use_cache of the target, whose cache is files of the user's. */
    int cache;
    /* Nonzero: what recipes that the program brings along make is proved before it runs, where cvc5
     * is in PATH and needs no more than about a second for a form; what is refuted is rejected, and
     * the rest is warned about. */
    int prove;
} mpu_config;
#define MPU_MAX_THREADS 256

/* Word number i, from 0, that the member of mpu_config named `member` takes ("engine", "batch",
 * "place", "finish", "spill"); NULL behind the last, and for other members. */
MPU_API const char *mpu_config_word(const char *member, size_t i);

/* config may be NULL.  Program, target and the sink of messages must outlive the session. */
MPU_API mpu_session *mpu_session_new(const mpu_program *p, const mpu_target *t,
                                     const mpu_config *config, mpu_error **error);
MPU_API void mpu_session_free(mpu_session *s);
/* Words of the command that the session is a part of, for the provenance in its statistics; they
 * outlive the session. */
MPU_API void mpu_session_set_command(mpu_session *s, const char *const *words, size_t count);

/* Binds a size, before the first put with an extent that needs it; otherwise that put binds it.
 * The value may not be above the bound that the program states.  MPU_USAGE for a size that follows
 * from others. */
MPU_API mpu_result mpu_session_bind_size(mpu_session *s, const char *name, uint64_t value,
                                         mpu_error **error);
/* Sets *a to type and shape, without data, of the array that a get of `name` would give; sizes that
 * nothing has bound take their defaults. */
MPU_API mpu_result mpu_session_shape(mpu_session *s, const char *name, mpu_array *a,
                                     mpu_error **error);
/* Copies an array into variable `name` ("x", or a bare register "RFH0.VRF3.r5",
 * "MPU2.RFH0.VRF3.r5"), or into a link-time value, which cannot change after the first run.  The
 * shape is the extents of the group, then k of T[k], unless the program states another.  Values
 * must fit the type, and also the registers' type where that is narrower.  A variable of integers
 * takes an array of any integers, or of bools, and a floating-point one an array of any type whose
 * numbers are numbers of its own. */
MPU_API mpu_result mpu_session_put(mpu_session *s, const char *name, const mpu_array *a,
                                   mpu_error **error);
/* The same with data as text.  Data without a shape of their own take the variable's, whose sizes
 * must be known by then.  *count, unless count is NULL: the number of elements. */
MPU_API mpu_result mpu_session_put_data(mpu_session *s, const char *name, const char *data,
                                        uint64_t *count, mpu_error **error);
/* The data of `name` are on the machine before the program begins, or stay there after it, in the
 * machine's form: puts and gets of it are no transfers, take no time and no energy of the host's
 * link, and nothing is turned into planes or back.  MPU_USAGE after anything has run, and for a
 * link-time value, which stands in the text.  A program that runs in rounds can have no resident
 * data (MPU_REJECTED); the host does not finish a reduction whose result is resident. */
MPU_API mpu_result mpu_session_set_resident(mpu_session *s, const char *name, mpu_error **error);
/* Says before a run that `name` will be read after it: MPU_USAGE if there is none, or the program
 * consumes it.  Once this was called, a program that runs in rounds keeps only what was named, its
 * outputs and their lengths, and a get of anything else is MPU_USAGE.  NULL names nothing but the
 * outputs. */
MPU_API mpu_result mpu_session_want(mpu_session *s, const char *name, mpu_error **error);

/* Makes the package for the target and opens the machine, unless that was done, so that errors in a
 * shape, or of the program on that machine, are told before a run. */
MPU_API mpu_result mpu_session_prepare(mpu_session *s, mpu_error **error);
/* How the program of a prepared session lies on its machine: the number of "mpus" and "lanes" (of a
 * VRF) in use, of "vrfs" of groups, of "fixed_vrfs", of "rounds"; of engine fused "code_bits", the
 * bits of the vectors of the code that it makes, 0 where it makes none; "timed", 1 but for engine
 * golden, which has no times; "wears", 1 on a machine with rows whose writes MPU_WEAR shows, else
 * 0.  MPU_USAGE for another name, if the session is not prepared yet, and of a pipeline
 * (mpu_session_pipeline). */
MPU_API mpu_result mpu_session_placed(const mpu_session *s, const char *name, uint64_t *value);

/* Runs the program from its entry to its end.  MPU_USAGE if nothing was put to an input and the
 * program brings no data for it; "zeros" of mpu_session_put_data means zeros.  An input that the
 * program consumes (`in consumed`) is gone then: MPU_USAGE for a get of it, and for another run
 * before it is put anew. */
MPU_API mpu_result mpu_session_run(mpu_session *s, mpu_error **error);
/* How the last run ended: "done", "stopped", "limit", "interrupted", "differs"; NULL: there was
 * none. */
MPU_API const char *mpu_session_end(const mpu_session *s);

/* What the last run compared with golden (mpu_config.check): every register, C and M, after each of
 * so many ensembles, in so many elements, which count once each time.  MPU_USAGE if there was no
 * run, or it was not checked. */
MPU_API mpu_result mpu_session_checked(const mpu_session *s, uint64_t *ensembles,
                                       uint64_t *elements);
/* Likewise of the kernels that it launched: how many, bytes of memory compared behind them, which
 * count once for each, and bytes that were not, because what they hold depends on the order of a
 * kernel's threads.  MPU_USAGE as there. */
MPU_API mpu_result mpu_session_checked_kernels(const mpu_session *s, uint64_t *launches,
                                               uint64_t *bytes, uint64_t *unsettled);

/* Fills *a, whose data are allocated, to be released by mpu_array_free.  Stopped programs may be
 * read too.  Each get is charged as a transfer to the host. */
MPU_API mpu_result mpu_session_get(mpu_session *s, const char *name, mpu_array *a,
                                   mpu_error **error);
/* The next four functions read and charge a name once; later calls use what was read, until the
 * next run. */
/* As mpu_session_get, without a copy: the data are the session's, and not to be written. */
MPU_API mpu_result mpu_session_view(mpu_session *s, const char *name, mpu_array *a,
                                    mpu_error **error);
/* Writes an array to a file, as mpu_array_write does.  *bytes, unless bytes is NULL: its size. */
MPU_API mpu_result mpu_session_save(mpu_session *s, const char *name, const char *path,
                                    uint64_t *bytes, mpu_error **error);
/* Elements [from, to) of the first dimension as text, as --print shows them: a line for each run of
 * the last index, or the format of .txt files where `plain` is not 0.  `to` is cut to the extent.
 */
MPU_API char *mpu_session_text(mpu_session *s, const char *name, uint64_t from, uint64_t to,
                               int plain, mpu_error **error);
/* Compares with data; if they differ MPU_DIFFERS, with the first five differences as notes.  A bare
 * register is compared as far as the data go.  Numbers of floating point have the same bits, but
 * any two NaNs are the same. */
MPU_API mpu_result mpu_session_expect(mpu_session *s, const char *name, const char *data,
                                      mpu_error **error);
/* The same, where two numbers of floating point also count as the same if at most `ulps` steps from
 * one number of their format to the next lead from one to the other; both zeros are one number.
 * *distance, unless distance is NULL: the most steps between two elements, UINT64_MAX if one is a
 * NaN and the other is not; 0 for integers. */
MPU_API mpu_result mpu_session_expect_near(mpu_session *s, const char *name, const char *data,
                                           uint64_t ulps, uint64_t *distance, mpu_error **error);

/* Statistics of the last run: "json", "csv", "text" (ten lines), or "text:full" (these and
 * everything), released by mpu_string_free. */
MPU_API char *mpu_session_stats(mpu_session *s, const char *format, mpu_error **error);
/* The same; "text:full" with bars for a terminal of so many columns, unless they are 0. */
MPU_API char *mpu_session_stats_wide(mpu_session *s, const char *format, uint32_t columns,
                                     mpu_error **error);
/* One figure by its JSON path, "total.time_ps"; MPU_USAGE if there is none or it is null. */
MPU_API mpu_result mpu_session_figure(mpu_session *s, const char *path, uint64_t *value);

/* ---- watching a run ----
 * Results and figures are the same whether a run is watched or not, and a run that is not watched
 * takes no longer. */

typedef enum mpu_watch_kind {
    MPU_TRACE,  /* what every unit did when, for Perfetto; no format (NULL).  A file whose name ends
                   in ".gz" is packed */
    MPU_LOG,    /* a line for each "insn", "uop", or both: "insn,uop" */
    MPU_UOPS,   /* the stream of micro-ops; mpu_target_uop_format */
    MPU_SERIES, /* what was done over time, as CSV: a line for every so many front-end cycles; the
                   format is their number */
    MPU_VALUES, /* what each instruction wrote in elements; the format names these: "y[77],a[3, 5]"
                   of variables or groups, "RFH0.VRF1[12]" of fixed VRFs; NULL: the first element of
                   each group */
    MPU_TIMELINE, /* which units were at work when, in 100 intervals, and messages between MPUs, as
                     a line of JSON: what mpu_report draws; no format */
    MPU_WEAR,     /* how often each cell was written, as CSV: for each row of a VRF that micro-ops
                     wrote, and VRFs that have as many writes of it in one line, where they are a box
                     of MPUs, RFHs and VRFs; the format "most": of one VRF, the lowest that has the row
                     which was written most.  MPU_USAGE on a machine without rows.  Without a format
                     (NULL) writes x mpus x rfhs x vrfs of all lines add up to the statistics'
                     wear.row_writes */
    MPU_WATCH_FORCE_32_BIT = 0x7fffffff
} mpu_watch_kind;

/* Not 0: the bytes could not be written, with errno set; nothing more is written then. */
typedef int mpu_write_function(void *context, const void *bytes, size_t size);

/* Logs and micro-ops begin with the instruction that is carried out as number `first`, counted from
 * 1, and end after `count` instructions.  first 0: from the first one; count 0: to the end.  Called
 * before mpu_session_watch. */
MPU_API mpu_result mpu_session_watch_part(mpu_session *s, uint64_t first, uint64_t count,
                                          mpu_error **error);
/* The next run is written to a file, which appears when watching ends, and only if the program ran.
 * Prepares the session.  It may be called for any number of files, but only one trace, one log, one
 * log of values, one series and one timeline.  Values and micro-ops are not
 * watched in the same run. */
MPU_API mpu_result mpu_session_watch(mpu_session *s, mpu_watch_kind kind, const char *format,
                                     const char *path, mpu_error **error);
/* The same to a function, which gets the bytes as they come. */
MPU_API mpu_result mpu_session_watch_with(mpu_session *s, mpu_watch_kind kind, const char *format,
                                          mpu_write_function *write, void *context,
                                          mpu_error **error);
/* Ends watching: the files appear.  MPU_FILE if one could not be written.  A run after the one that
 * was watched ends it, too, and so does mpu_session_free, which reports nothing. */
MPU_API mpu_result mpu_session_watch_end(mpu_session *s, mpu_error **error);

/* ---- sweeps ----
 * A program on several targets, with several values of their keys, several places and sizes: there
 * is a run for each combination, its results are compared with those of the first run with the same
 * sizes, and all runs are in one table.
 *
 *     mpu_sweep_add(w, MPU_SWEEP_TARGET, NULL, targets, &e);
 *     mpu_sweep_add(w, MPU_SWEEP_SIZE, "n", sizes, &e);
 *     mpu_sweep_begin(w, p, NULL, 0, &e);
 *     for (uint64_t i = 0; i < mpu_sweep_count(w); i++) {
 *         mpu_session *s = mpu_sweep_open(w, i, &e);
 *         mpu_sweep_bind_sizes(w, &e); mpu_session_put(s, ..); r = mpu_session_run(s, &e);
 *         r = mpu_sweep_take(w, r, &e);
 *         mpu_sweep_close(w, r);
 *     }
 *     mpu_sweep_table(w, "text", &e); */

typedef enum mpu_axis {
    MPU_SWEEP_TARGET, /* no name: targets, as mpu_target_open takes them */
    MPU_SWEEP_SET,    /* a key of the targets */
    MPU_SWEEP_PLACE,  /* no name: mpu_config.place */
    MPU_SWEEP_SIZE,   /* a size of the program; values are numbers */
    MPU_AXIS_FORCE_32_BIT = 0x7fffffff
} mpu_axis;
#define MPU_SWEEP_MAX 10000 /* runs of a sweep */

/* messages may be NULL. */
MPU_API mpu_sweep *mpu_sweep_new(mpu_messages *messages);
MPU_API void mpu_sweep_free(mpu_sweep *w);
/* Values end with NULL.  Targets and places may be added several times, the later ones behind the
 * earlier.  The values of a key or size are added once; only a single value may replace a single
 * value.  MPU_USAGE otherwise, without values, and for a size that is no number. */
MPU_API mpu_result mpu_sweep_add(mpu_sweep *w, mpu_axis axis, const char *name,
                                 const char *const *values, mpu_error **error);
/* Compares chips at one area: after all runs comes one more for each run whose chip has another
 * area than `um2`, with as many MPUs as that area holds.  um2 0: the smallest area of the chips
 * that are compared.  Areas that differ by less than a hundredth count as the same; nothing is
 * added for a chip whose area is not known, or whose number of MPUs was set.  Called after all axes
 * were added. */
MPU_API mpu_result mpu_sweep_add_area(mpu_sweep *w, uint64_t um2, mpu_error **error);
/* Shows which assumed numbers matter.  A sweep of one run gets two more runs for each number of the
 * target that no source gives: with the number lower by so many percent, 1 to 99, and with it
 * higher, by 1 at least.  Such a run may fail, without an error.  The table as text then says what
 * changes, and by how much.  Called after all axes were added. */
MPU_API mpu_result mpu_sweep_add_sensitivity(mpu_sweep *w, uint32_t percent, mpu_error **error);
/* The number of runs; if there are more than MPU_SWEEP_MAX, MPU_SWEEP_MAX + 1.  In their order
 * targets change slowest, then keys, places, and sizes, each in the order in which they were added;
 * behind them stand the runs that the two functions before add. */
MPU_API uint64_t mpu_sweep_count(const mpu_sweep *w);
/* The value that run i < mpu_sweep_count(w) has on an axis: "racer", "1000"; NULL: none. */
MPU_API const char *mpu_sweep_value(const mpu_sweep *w, uint64_t i, mpu_axis axis,
                                    const char *name);
/* Opens every target with every setting once, before anything runs, and returns the first failure.
 */
MPU_API mpu_result mpu_sweep_check(mpu_sweep *w, mpu_error **error);
/* Names an array that is compared beside the program's outputs; called before mpu_sweep_begin. */
MPU_API void mpu_sweep_compare(mpu_sweep *w, const char *name);
/* As mpu_session_set_command, for the sweep's sessions and its table. */
MPU_API void mpu_sweep_set_command(mpu_sweep *w, const char *const *words, size_t count);
/* The program and what config points to must outlive the sweep; config's place and messages are not
 * used.  `whole`, not 0: the table will be asked for as JSON, which has all statistics of each run.
 */
MPU_API mpu_result mpu_sweep_begin(mpu_sweep *w, const mpu_program *p, const mpu_config *config,
                                   int whole, mpu_error **error);
/* A session for run i, which is the sweep's; the one before it is closed.  NULL if the target
 * cannot be opened or refuses the configuration; for a run of mpu_sweep_add_sensitivity this is no
 * error, and its record says "rejected".  PRINT lines come from the first run alone that comes to
 * its end. */
MPU_API mpu_session *mpu_sweep_open(mpu_sweep *w, uint64_t i, mpu_error **error);
/* The target of the run that is open; NULL: none is. */
MPU_API const mpu_target *mpu_sweep_target(const mpu_sweep *w);
/* Binds the sizes of the open session to the values of its run. */
MPU_API mpu_result mpu_sweep_bind_sizes(mpu_sweep *w, mpu_error **error);
/* Called when the run of the open session ended with `result`: keeps its figures and, after MPU_OK,
 * reads and compares the arrays.  Returns `result`, or the code of the failure to read; differences
 * are told, but do not change what is returned. */
MPU_API mpu_result mpu_sweep_take(mpu_sweep *w, mpu_result result, mpu_error **error);
/* Closes the session; if `result` is not MPU_OK, a note to its messages says which run it was. */
MPU_API void mpu_sweep_close(mpu_sweep *w, mpu_result result);
/* In how many runs the program came to its end; whether results differed. */
MPU_API uint64_t mpu_sweep_done(const mpu_sweep *w);
MPU_API int mpu_sweep_differs(const mpu_sweep *w);
/* A column of the table by its name ("time_ps"), of record i; records are in the order in which
 * runs were closed.  MPU_USAGE if there is no such column or it is not known. */
MPU_API mpu_result mpu_sweep_figure(const mpu_sweep *w, uint64_t record, const char *column,
                                    uint64_t *value);
/* The rows that tables compare others with, by their target, "racer" or "racer, iso-area"; NULL:
 * none. Text and CSV get ratios of time and energy to the row of the same sizes, and of the same
 * settings where there is one.  Called after the runs; MPU_USAGE: no row has that name. */
MPU_API mpu_result mpu_sweep_set_base(mpu_sweep *w, const char *target, mpu_error **error);
/* All records: "text", "csv" or "json". */
MPU_API char *mpu_sweep_table(const mpu_sweep *w, const char *format, mpu_error **error);

/* ---- arrays on a device ----
 * Vectors that stay on the machine, for front ends that call operations instead of compiling
 * programs (docs/arrays.md).
 *
 *     mpu_device *d = mpu_device_open(t, NULL, &e);
 *     mpu_vector *x = mpu_vector_new(d, i32, n, &e), *y = mpu_vector_new(d, i32, n, &e);
 *     mpu_vector_put(x, 0, n, data, &e); ...
 *     mpu_vector *z = mpu_apply(d, MPU_OP_ADD, i32, n, (mpu_operand[]){{x, 0}, {y, 0}}, 2, &e);
 *     mpu_vector_get(z, 0, n, result, &e);
 *
 * mpu_apply, mpu_call, mpu_move, mpu_fold, mpu_scan, mpu_sort, mpu_matmul and mpu_take record an
 * operation and check it: types, lengths and devices that do not go together are refused here
 * (MPU_USAGE).  What is recorded is carried out by mpu_vector_get of a vector that depends on it,
 * by mpu_device_flush, and when 4,096 operations wait.  No result depends on where that is.  What
 * no held vector needs is dropped.
 *
 * Functions that return a vector give a new reference, to be given back by mpu_vector_release; an
 * operation that is recorded holds its operands.  A device and its vectors are for one thread at a
 * time; different devices are independent.  After mpu_device_close only mpu_vector_release and
 * mpu_vector_retain of its vectors are legal. */

/* Types of elements.  Kinds and bits: BOOL 1; UINT 1 .. 64; INT 2 .. 64; FLOAT 16, 32, 64;
 * BFLOAT 16. */
typedef enum mpu_kind {
    MPU_KIND_BOOL,
    MPU_KIND_UINT,
    MPU_KIND_INT,
    MPU_KIND_FLOAT,
    MPU_KIND_BFLOAT,
    MPU_KIND_FORCE_32_BIT = 0x7fffffff
} mpu_kind;
/* On the host an element takes the least of 1, 2, 4 and 8 bytes that have its bits, in native byte
 * order.  What is above its bits is not looked at by a put; a get gives zeros there, of INT the
 * sign. */
typedef struct mpu_vtype {
    uint8_t kind, bits;
} mpu_vtype;

/* A vector, or (v NULL) a scalar: the pattern of the operand's type, of which bits above its width
 * are not looked at.  Programs are kept for scalars of any value (docs/arrays.md). */
typedef struct mpu_operand {
    const mpu_vector *v;
    uint64_t bits;
} mpu_operand;

/* An axis of the elements of a move: how many there are, and from one to the next how many elements
 * of the source lie between; 0 repeats the same, below 0 goes backwards. */
typedef struct mpu_dim {
    uint64_t count;
    int64_t step;
} mpu_dim;
#define MPU_MOVE_DIMS 8

/* Operations.  They are carried out at one type, that of mpu_apply, and by its kind: on integers as
 * the ISA's instructions are (docs/isa), on floating point as IEEE 754 says, to nearest even.
 * Operands have that type, and so has the result, where nothing else is said.  Letters say for
 * which kinds there is an operation: b BOOL, i UINT and INT, f FLOAT and BFLOAT. */
typedef enum mpu_operation {
    MPU_OP_COPY,     /* b i f: a; of a scalar: that in every element */
    MPU_OP_ADD,      /* i f: a + b; of integers, as below, modulo 2^bits */
    MPU_OP_SUB,      /* i f */
    MPU_OP_MUL,      /* i f */
    MPU_OP_DIV,      /* i f: of integers toward zero; by 0 all bits are 1 */
    MPU_OP_REM,      /* i: of that division, with the sign of a; by 0 it is a */
    MPU_OP_FLOORDIV, /* i: toward minus infinity; by 0 all bits are 1 */
    MPU_OP_FLOORMOD, /* i: of that division, with the sign of b; by 0 it is a */
    MPU_OP_SHL,      /* i: a shifted by b bits, b as if without a sign; 0 from `bits` on */
    MPU_OP_SHR,      /* i: likewise; of INT the sign comes in */
    MPU_OP_AND,      /* b i */
    MPU_OP_OR,       /* b i */
    MPU_OP_XOR,      /* b i */
    MPU_OP_NOT,      /* b i */
    MPU_OP_NEG,      /* i f: of floating point the sign alone changes */
    MPU_OP_ABS,      /* i f: of the least INT itself */
    MPU_OP_MIN,      /* b i f: of a number and what is none the number, -0 below +0 */
    MPU_OP_MAX,      /* b i f: likewise */
    /* Comparisons, b i f: the result is BOOL.  With what is not a number only NE is true. */
    MPU_OP_EQ,
    MPU_OP_NE,
    MPU_OP_LT,
    MPU_OP_LE,
    MPU_OP_GT,
    MPU_OP_GE,
    MPU_OP_SELECT, /* b i f: a ? b : c; a is BOOL */
    /* a, a vector of any type or a scalar of `type`, as `type` has it: integers are cut, or
     * extended by the sign of their own type; numbers become floating-point ones rounded once;
     * floating-point numbers become integers toward zero, the nearest there is where they are out
     * of range, 0 where they are no number; to BOOL: whether it is not 0. */
    MPU_OP_CAST,
    MPU_OP_BITCAST,  /* a, of any type with as many bits: the same pattern */
    MPU_OP_POPCOUNT, /* b i: how many bits are 1, modulo 2^bits */
    MPU_OP_BIT,      /* b i f: bit number b of a, b a scalar below `bits`; the result is BOOL */
    MPU_OP_SETBIT,   /* b i f: a, of which bit number c, a scalar below `bits`, is b, BOOL */
    /* Floating point alone. */
    MPU_OP_SQRT,
    MPU_OP_UNORDERED, /* a or b is not a number; the result is BOOL */
    MPU_OP_SIGNBIT,   /* the result is BOOL */
    MPU_OP_ISZERO,    /* +0 or -0; the result is BOOL */
    MPU_OP_FLOOR,     /* f: to an integer in the same format: down, */
    MPU_OP_CEIL,      /* f: up, */
    MPU_OP_TRUNC,     /* f: toward zero, */
    MPU_OP_RINT,      /* f: to the nearest, ties to even; a zero keeps its sign */
    MPU_OP_SIGN,      /* i f: -1, 0 or 1; what is not a number as it is */
    MPU_OP_ISNAN,     /* f: the result is BOOL, as those of the next two */
    MPU_OP_ISINF,     /* f */
    MPU_OP_ISFINITE,  /* f */
    MPU_OP_COPYSIGN,  /* f: a with the sign of b */
    /* NumPy's cases, where they differ from those above. */
    MPU_OP_MINIMUM,      /* b i f: not a number where a or b is not one */
    MPU_OP_MAXIMUM,      /* b i f: likewise */
    MPU_OP_CLIP,         /* b i f: MINIMUM of c and of MAXIMUM of a and b */
    MPU_OP_FLOOR_DIVIDE, /* i: FLOORDIV, but 0 where b is 0 */
    MPU_OP_REMAINDER,    /* i: FLOORMOD, but 0 where b is 0 */
    MPU_OP_FMOD,         /* i: REM, but 0 where b is 0 */
    MPU_OP_POW,          /* i f: a to the power b, a scalar: any number without a sign, the same
                            for all elements; by squares, modulo 2^bits; of 16 bits of floating
                            point in FLOAT 32, rounded once more */
    /* Of mpu_fold alone: the number within its segment, from 0, of the first of the least (largest)
     * elements; what is not a number is less (larger) than all others, zeros are alike.  They are
     * compared at the vector's type; that of the fold is the result's, UINT or INT, which has
     * the numbers of all elements of a segment. */
    MPU_OP_ARGMIN,
    MPU_OP_ARGMAX,
    MPU_OP_POWER, /* i: a to the power b, modulo 2^bits; of INT the sign of b does not count */
    MPU_OP_TRUNC_DIVIDE, /* i: DIV, but 0 where b is 0 */
    /* Functions of f of at most 32 bits, as ezpim/lib/float.ez has them: of 16 bits the nearest
     * number, of 32 within the bounds of docs/float-functions.md. */
    MPU_OP_EXP,
    MPU_OP_EXP2,
    MPU_OP_LOG,
    MPU_OP_LOG2,
    MPU_OP_LOG10,
    MPU_OP_SIGMOID, /* 1 / (1 + e^-a) */
    MPU_OP_SILU,    /* a times that */
    MPU_OP_NDTR,    /* the normal distribution up to a */
    MPU_OP_GELU,    /* a times that */
    MPU_OP_ERFC,
    MPU_OP_TANH,
    MPU_OP_ARCTAN,
    MPU_OP_ERF,
    MPU_OP_SIN,
    MPU_OP_COS,
    MPU_OP_TAN,
    MPU_OP_SINH,
    MPU_OP_COSH,
    MPU_OP_EXPM1,
    MPU_OP_LOG1P,
    MPU_OP_SOFTPLUS,   /* log(1 + e^a) */
    MPU_OP_RECIPROCAL, /* 1 / a by a polynomial: cheaper than DIV, of 32 bits not always the nearest
                        */
    MPU_OP_RSQRT,      /* 1 / sqrt(a) */
    MPU_OPS,
    /* Names of NumPy's for operations above. */
    MPU_OP_FMIN = MPU_OP_MIN,
    MPU_OP_FMAX = MPU_OP_MAX,
    MPU_OP_LEFT_SHIFT = MPU_OP_SHL,
    MPU_OP_RIGHT_SHIFT = MPU_OP_SHR,
    MPU_OP_FORCE_32_BIT = 0x7fffffff
} mpu_op;
/* "add"; NULL for what is none.  How many operands it has; 0 likewise. */
MPU_API const char *mpu_op_name(mpu_op op);
MPU_API uint32_t mpu_op_operands(mpu_op op);

/* A machine of the target with nothing on it.  Of config (may be NULL) count: engine, batch, check,
 * init ("zero" alone), max_cycles and max_seconds (of each program that is run), interrupted,
 * progress, threads, place (NULL: auto, which spreads vectors over all MPUs), finish (of folds;
 * "host" of products, too),
 * spill, messages.  MPU_REJECTED if the machine keeps neither vectors nor buffers; functions of
 * vectors are MPU_USAGE on one that keeps none, and those of buffers likewise.  The target and the
 * sink of messages must outlive the device. */
MPU_API mpu_device *mpu_device_open(const mpu_target *target, const mpu_config *config,
                                    mpu_error **error);
/* The machine is gone, what was recorded is dropped. */
MPU_API void mpu_device_close(mpu_device *device);
/* Carries out everything that is recorded.  After a failure (a limit, an interrupt, no room) the
 * vectors that waited for it have no values: a use of one fails with the same code and text; all
 * others are as they were. */
MPU_API mpu_result mpu_device_flush(mpu_device *device, mpu_error **error);
/* What the device has done since it was opened or reset: "text" or "json" (docs/arrays.md).  Does
 * not flush. */
MPU_API char *mpu_device_stats(mpu_device *device, const char *format, mpu_error **error);
/* One figure by its JSON path, "total.time_ps"; MPU_USAGE if there is none or it is null. */
MPU_API mpu_result mpu_device_figure(mpu_device *device, const char *path, uint64_t *value);
/* All figures that add up are 0 again; programs, vectors and labels stay. */
MPU_API void mpu_device_reset_stats(mpu_device *device);
/* What is called from now on, up to the next label, counts under this name ("pimAdd"); NULL or "":
 * under none.  Statistics have for each label how often it was set, the operations that were
 * recorded under it and carried out, and what they took, of programs that operations of several
 * labels share, too: all labels and what has none add up to the totals (docs/arrays.md).  No other
 * figure depends on labels.  MPU_USAGE, and the label is the one before: a name of more than 255
 * bytes or with control characters, or of more than 4,096 names. */
MPU_API mpu_result mpu_device_label(mpu_device *device, const char *name);

/* A vector of n elements, 1 .. 2^40, of zeros. */
MPU_API mpu_vector *mpu_vector_new(mpu_device *device, mpu_vtype type, uint64_t n,
                                   mpu_error **error);
/* One more reference; returns the vector. */
MPU_API mpu_vector *mpu_vector_retain(mpu_vector *vector);
/* One less; the last one frees it.  NULL: nothing. */
MPU_API void mpu_vector_release(mpu_vector *vector);
MPU_API uint64_t mpu_vector_length(const mpu_vector *vector);
MPU_API mpu_vtype mpu_vector_type(const mpu_vector *vector);
/* Bytes of an element of that type on the host; 0: there is no such type. */
MPU_API uint32_t mpu_vtype_bytes(mpu_vtype type);
/* Writes elements first .. first + count - 1 at once.  Operations that were recorded before still
 * see what was there.  MPU_USAGE for a range that leaves the vector. */
MPU_API mpu_result mpu_vector_put(mpu_vector *vector, uint64_t first, uint64_t count,
                                  const void *data, mpu_error **error);
/* Reads them, after all that they depend on was carried out. */
MPU_API mpu_result mpu_vector_get(mpu_vector *vector, uint64_t first, uint64_t count, void *data,
                                  mpu_error **error);
/* Elements to .. to + count - 1 of dst are from now on those of src from `from` on, of the same
 * type, as they are now: dst may be src.  The copy is recorded, as operations are, and made on the
 * device. MPU_USAGE for a range that leaves its vector. */
MPU_API mpu_result mpu_vector_copy(mpu_vector *dst, uint64_t to, const mpu_vector *src,
                                   uint64_t from, uint64_t count, mpu_error **error);
/* dst has from now on what `value` has, of the same type and length; nothing is copied, and later
 * writes of one are not seen in the other.  A masked write is MPU_OP_SELECT and a set. */
MPU_API mpu_result mpu_vector_set(mpu_vector *dst, const mpu_vector *value, mpu_error **error);

/* op on n elements; operands are vectors of n elements, or scalars. */
MPU_API mpu_vector *mpu_apply(mpu_device *device, mpu_op op, mpu_vtype type, uint64_t n,
                              const mpu_operand *operands, uint32_t count, mpu_error **error);
/* Subroutine `sub` of a program of subroutines (mpu_source_set_parts) for each of n elements:
 * operands are what goes in, in its order, of its types; what comes out, one value, is the result.
 * MPU_USAGE if the program has no such subroutine, or one with another number of results.  The
 * program is copied. */
MPU_API mpu_vector *mpu_call(mpu_device *device, const mpu_program *program, const char *sub,
                             uint64_t n, const mpu_operand *operands, uint32_t count,
                             mpu_error **error);
/* Element index[i] of the table, an array of one dimension and up to 65,536 elements whose type the
 * result has (BOOL, UINT, INT, FLOAT, BFLOAT); 0 behind its end.  The index is UINT or INT, of
 * which bits count as without a sign. */
MPU_API mpu_vector *mpu_take(const mpu_vector *index, const mpu_array *table, mpu_error **error);
/* The same of so many entries of a type of arrays; they are copied. */
MPU_API mpu_vector *mpu_take_entries(const mpu_vector *index, mpu_type type, const void *entries,
                                     uint64_t count, mpu_error **error);
/* Elements of a row-major shape of ndim axes, 1 to MPU_MOVE_DIMS: number i is source element offset
 * + sum of i_k * step_k.  Outside of the source it is `fill` or (wrap not 0) the element modulo the
 * source's length. */
MPU_API mpu_vector *mpu_move(const mpu_vector *source, const mpu_dim *dims, uint32_t ndim,
                             int64_t offset, int wrap, uint64_t fill, mpu_error **error);
/* One element for each `segment` elements of first .. first + count - 1: those folded by op, one of
 * ADD MUL MIN MAX AND OR XOR MINIMUM MAXIMUM ARGMIN ARGMAX, at `type`, to which they are cast
 * before.  count is a multiple of segment.  Sums and products of floating point are those of pairs
 * of neighbours, of pairs of these, and so on (docs/float.md), wherever they are worked out. */
MPU_API mpu_vector *mpu_fold(const mpu_vector *vector, mpu_op op, mpu_vtype type, uint64_t first,
                             uint64_t count, uint64_t segment, mpu_error **error);
/* Along an axis: the vector is an array of some x `extent` x `inner` elements, row by row; the
 * result has one for each of some x `inner`, which are those along `extent` folded as mpu_fold
 * does.  With inner = 1 these are the segments of mpu_fold. */
MPU_API mpu_vector *mpu_fold_axis(const mpu_vector *vector, mpu_op op, mpu_vtype type,
                                  uint64_t extent, uint64_t inner, mpu_error **error);
/* Element i is elements 0 .. i folded by op, one of ADD MUL MIN MAX AND OR XOR, at `type`. */
MPU_API mpu_vector *mpu_scan(const mpu_vector *vector, mpu_op op, mpu_vtype type,
                             mpu_error **error);
/* The same for each `segment` elements by themselves, of which the vector has a whole number. */
MPU_API mpu_vector *mpu_scan_segments(const mpu_vector *vector, mpu_op op, mpu_vtype type,
                                      uint64_t segment, mpu_error **error);
/* The same along an axis, as mpu_fold_axis has it. */
MPU_API mpu_vector *mpu_scan_axis(const mpu_vector *vector, mpu_op op, mpu_vtype type,
                                  uint64_t extent, uint64_t inner, mpu_error **error);
/* Each `segment` elements in ascending order: -0 before +0, what is not a number last. */
MPU_API mpu_vector *mpu_sort(const mpu_vector *vector, uint64_t segment, mpu_error **error);
/* The same along an axis, as mpu_fold_axis has it. */
MPU_API mpu_vector *mpu_sort_axis(const mpu_vector *vector, uint64_t extent, uint64_t inner,
                                  mpu_error **error);
/* The product of matrices that lie row by row: `rows` x `inner` elements by `inner` x `columns`, of
 * one type of numbers, which is the result's too; integers modulo 2^bits.  A vector is a matrix of
 * one row, or of one column. */
MPU_API mpu_vector *mpu_matmul(const mpu_vector *left, const mpu_vector *right, uint64_t rows,
                               uint64_t inner, uint64_t columns, mpu_error **error);

/* ---- memory and kernels of a device ----
 * Machines with a memory beside their registers run kernels, programs in a language of their own
 * (docs/machines.md), on buffers in that memory.
 *
 *     mpu_buffer *x = mpu_buffer_new(d, i64, 1, (uint64_t[]){n}, &e);
 *     mpu_buffer_put(x, MPU_ALL_UNITS, 0, 8 * n, data, &e);
 *     mpu_module *m = mpu_module_load(d, "core", "scale.core", text, size, &e);
 *     mpu_kernel *k = mpu_module_kernel(m, "scale", &e);
 *     mpu_launch(k, (uint32_t[3]){8, 1, 1}, NULL, 0, (mpu_argument[]){{x, 0, NULL}, {NULL, n,
 * NULL}}, 2, &e); mpu_buffer_get(x, MPU_ALL_UNITS, 0, 8 * n, data, &e);
 *
 * A launch is carried out before the call returns.  Buffers and modules are for the thread of their
 * device; after mpu_device_close only mpu_buffer_free and mpu_module_free of them are legal. */

/* A buffer of elements, each as on the host (mpu_vtype), of zeros; ndim is 0 (one element) to 8.
 * MPU_CAPACITY if the machine has no room. */
MPU_API mpu_buffer *mpu_buffer_new(mpu_device *device, mpu_vtype type, uint32_t ndim,
                                   const uint64_t *shape, mpu_error **error);
/* A buffer for parameter number i of a kernel (below), of the parameter's type: it lies as the
 * kernel wants it, in slices of an array, the same in each unit, a row of the first dimension in
 * each, or in one place as those of mpu_buffer_new do (docs/machines.md, "How buffers lie").  Every
 * kernel that wants it so can have it.  MPU_CAPACITY too if there are more rows than units. */
MPU_API mpu_buffer *mpu_kernel_buffer_new(mpu_kernel *kernel, uint32_t i, uint32_t ndim,
                                          const uint64_t *shape, mpu_error **error);
/* Its place on the machine is free again.  Nothing happens to a buffer of a module. */
MPU_API void mpu_buffer_free(mpu_buffer *buffer);
MPU_API mpu_vtype mpu_buffer_type(const mpu_buffer *buffer);
MPU_API uint64_t mpu_buffer_bytes(const mpu_buffer *buffer);
/* Where its first byte lies in the machine's memory, as kernels see it; 0 of one in slices. */
MPU_API uint64_t mpu_buffer_address(const mpu_buffer *buffer);
/* Units 0 .. mpu_buffer_units - 1 of the machine have some of it of their own, each so many bytes
 * (0: another unit); 0 units: it is one place for all. */
MPU_API uint32_t mpu_buffer_units(const mpu_buffer *buffer);
MPU_API uint64_t mpu_buffer_unit_bytes(const mpu_buffer *buffer, uint32_t unit);
#define MPU_ALL_UNITS UINT32_MAX
/* Writes or reads bytes offset .. offset + bytes - 1 over the host's link.  Unit MPU_ALL_UNITS: of
 * the array, wherever these lie; what is written goes to the halos that have it, too, and into all
 * copies of a buffer that is the same in each unit, of which unit 0's is read.  Another unit: of
 * what that unit has of its own, and of nothing else.  MPU_USAGE for bytes that there are not. */
MPU_API mpu_result mpu_buffer_put(mpu_buffer *buffer, uint32_t unit, uint64_t offset,
                                  uint64_t bytes, const void *data, mpu_error **error);
MPU_API mpu_result mpu_buffer_get(const mpu_buffer *buffer, uint32_t unit, uint64_t offset,
                                  uint64_t bytes, void *data, mpu_error **error);

/* Kernels of a text in the language of a form ("core"; "cu": in CUDA, of which clang makes "ptx",
 * docs/cuda.md); `name` stands for it in messages.  Texts of
 * forms that declare nothing are one kernel without parameters, of that name.  MPU_REJECTED for a
 * text that is wrong, at its line. */
MPU_API mpu_module *mpu_module_load(mpu_device *device, const char *form, const char *name,
                                    const char *text, size_t size, mpu_error **error);
/* Its kernels and buffers are gone. */
MPU_API void mpu_module_free(mpu_module *module);
/* Kernel number i of the text, from 0; NULL behind the last. */
MPU_API const char *mpu_module_kernel_name(const mpu_module *module, size_t i);
/* The kernel of that name, which is the module's. */
MPU_API mpu_kernel *mpu_module_kernel(mpu_module *module, const char *name, mpu_error **error);
/* A buffer that the text adds to the machine's memory, which is the module's; a parameter of its
 * name gets it without an argument. */
MPU_API mpu_buffer *mpu_module_buffer(mpu_module *module, const char *name, mpu_error **error);

/* Parameters that a launch gives arguments to, numbered from 0: name, type, of a buffer that of its
 * elements, and whether it is a buffer. */
MPU_API uint32_t mpu_kernel_parameter_count(const mpu_kernel *kernel);
MPU_API const char *mpu_kernel_parameter_name(const mpu_kernel *kernel, uint32_t i);
MPU_API mpu_vtype mpu_kernel_parameter_type(const mpu_kernel *kernel, uint32_t i);
MPU_API int mpu_kernel_parameter_is_buffer(const mpu_kernel *kernel, uint32_t i);
/* So many bytes a structure has that is given by value, which has no type; 0: it is none. */
MPU_API uint32_t mpu_kernel_parameter_bytes(const mpu_kernel *kernel, uint32_t i);

/* A buffer of the same device, from byte `value` on, where an element begins; or (buffer NULL) a
 * number: `value` as 64 bits, of INT with its sign, of floating point its pattern; or a structure.
 * Where kernels have pointers (form "ptx") a parameter that is a buffer takes buffers of any type,
 * from any byte on, and addresses, as numbers. */
typedef struct mpu_argument {
    const mpu_buffer *buffer;
    uint64_t value;
    const void *bytes; /* of a structure, as many as its parameter has; NULL of others */
} mpu_argument;
/* Launches the kernel once on the whole machine, with an argument for each parameter: on a grid of
 * blocks, each of so many workers; NULL, and 0 bytes of memory for each block: as the machine
 * chooses.  MPU_USAGE for a geometry that the form does not take and for arguments that do not fit;
 * MPU_STOPPED for a fault, with kernel, pc and line, after which buffers are as it left them. */
MPU_API mpu_result mpu_launch(mpu_kernel *kernel, const uint32_t grid[3], const uint32_t block[3],
                              uint64_t bytes, const mpu_argument *arguments, uint32_t count,
                              mpu_error **error);
/* The same on so many of the machine's units, from number `first` on; 0: on all. */
MPU_API mpu_result mpu_launch_on(mpu_kernel *kernel, const uint32_t grid[3],
                                 const uint32_t block[3], uint64_t bytes, uint32_t units,
                                 uint32_t first, const mpu_argument *arguments, uint32_t count,
                                 mpu_error **error);

/* ---- reports ----
 * A page is one file of HTML: where time and energy went, with pictures, for people.  It is made
 * from statistics as JSON alone, those of a session, a device or a sweep (mpu_session_stats,
 * mpu_sweep_table), so it says nothing that is not in them; the same text gives the same bytes. */

typedef struct mpu_report_config {
    size_t size;          /* sizeof(mpu_report_config) */
    const char *timeline; /* of the run, as MPU_TIMELINE wrote it; NULL: none */
    const char *wear;     /* of the run, as MPU_WEAR wrote it; NULL: none */
    const char *base; /* of several runs, the target that others are compared with; NULL: that of
                         the first */
    mpu_messages *messages; /* NULL: none */
} mpu_report_config;

/* The page of statistics as JSON, at most 1 MiB (what is too large is left out, and it says so);
 * config may be NULL.  Source lines are read from the files that the statistics name, as far as
 * these are there.  MPU_REJECTED for what is no such JSON; MPU_USAGE for a base that no run has.
 * Released by mpu_string_free. */
MPU_API char *mpu_report(const char *statistics, const mpu_report_config *config,
                         mpu_error **error);
/* One picture of it alone, as SVG, by its name; MPU_USAGE if there is none of that name, or these
 * statistics have nothing to show in it. */
MPU_API char *mpu_report_plot(const char *statistics, const mpu_report_config *config,
                              const char *name, mpu_error **error);
/* The name of picture number i, from 0; NULL behind the last. */
MPU_API const char *mpu_report_plot_name(size_t i);
/* mpu_report of the last run's statistics. */
MPU_API char *mpu_session_report(mpu_session *s, const mpu_report_config *config,
                                 mpu_error **error);

/* ---- recorded runs ----
 * A record is statistics as JSON, of a session or a sweep, with the command that made them. */

/* Reads a record; messages may be NULL. */
MPU_API mpu_record *mpu_record_open(const char *path, mpu_messages *messages, mpu_error **error);
MPU_API void mpu_record_free(mpu_record *r);
/* The words of its command and their number; NULL with the error MPU_REJECTED if none was recorded.
 */
MPU_API const char *const *mpu_record_command(mpu_record *r, size_t *count, mpu_error **error);
/* The version that wrote it; NULL: it does not say. */
MPU_API const char *mpu_record_version(const mpu_record *r);
/* Checks that the data files that the run read are there, with the SHA-256 that they had. */
MPU_API mpu_result mpu_record_check_inputs(mpu_record *r, mpu_error **error);
/* Compiles the program, which must come out as the one of the record. */
MPU_API mpu_program *mpu_record_build(mpu_record *r, mpu_source *source, mpu_error **error);
/* Compares with the statistics, as JSON, of a run that was done again: MPU_DIFFERS with the first
 * figure that differs.  The version that wrote them may differ.  *figures: how many were the same.
 */
MPU_API mpu_result mpu_record_compare(mpu_record *r, const char *json, uint64_t *figures,
                                      mpu_error **error);
/* Reports an error of the caller's own about the record, with the record's place. */
MPU_API void mpu_record_refuse(mpu_record *r, const char *text);

#ifdef __cplusplus
}
#endif
#endif
