/* SPDX-License-Identifier: MIT
 * From inputs of any kind to one linked program: what an input is, and what makes it an object. */
#include "ezpim/driver.h"
#include "ezpim/cuda_file.h"
#include "ezpim/word_file.h"
#include "ezpim/np/np.h"
#include "linker/join/kernel_file.h"
#include "linker/linker.h"
#include "support/file.h"
#include "support/ieee_text.h"

#include <errno.h>
#include <string.h>

enum language {
    LANGUAGE_UNKNOWN,
    LANGUAGE_EZ,
    LANGUAGE_PYTHON,
    LANGUAGE_ASSEMBLY,
    LANGUAGE_ERC,
    LANGUAGE_RC,
    LANGUAGE_OBJECT,
    LANGUAGE_KERNEL /* of a form that machines have: driver_kernel_suffix */
};

struct suffix {
    const char *text;
    enum language language;
};
static const struct suffix suffixes[] = {
    {".ez", LANGUAGE_EZ},      {".py", LANGUAGE_PYTHON},       {".s", LANGUAGE_ASSEMBLY},
    {".erc", LANGUAGE_ERC},    {".rc", LANGUAGE_RC},           {".o", LANGUAGE_OBJECT},
    {".mpu", LANGUAGE_OBJECT}, {DRIVER_CUDA, LANGUAGE_KERNEL},
};

static enum language by_suffix(const char *path) {
    size_t length = strlen(path);
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        size_t n = strlen(suffixes[i].text);
        if (length > n && strcmp(path + length - n, suffixes[i].text) == 0)
            return suffixes[i].language;
    }
    return driver_kernel_suffix(path) ? LANGUAGE_KERNEL : LANGUAGE_UNKNOWN;
}

/* What -x names; driver_language said that there is such a language. */
static enum language by_name(const char *name) {
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
        if (strcmp(suffixes[i].text + 1, name) == 0)
            return suffixes[i].language;
    return driver_kernel_language(name) ? LANGUAGE_KERNEL : LANGUAGE_UNKNOWN;
}

static bool parse_real(const char *text, struct arena *arena, struct asm_define *out) {
    uint64_t value;
    out->real = arena_strdup(arena, text);
    return ieee_parse(ieee_binary(64), text, strlen(text), &value) != IEEE_NO_NUMBER;
}

bool driver_define(const char *text, struct arena *arena, struct asm_define *out) {
    const char *equals = strchr(text, '=');
    size_t n = equals ? (size_t)(equals - text) : strlen(text);
    *out = (struct asm_define){arena_strndup(arena, text, n), 1, NULL};
    return object_name_ok(out->name) && !(out->name[0] >= '0' && out->name[0] <= '9') &&
           (!equals || number_parse_i64(equals + 1, strlen(equals + 1), &out->value) ||
            parse_real(equals + 1, arena, out));
}

bool driver_language(const char *name) {
    enum language l = by_name(name);
    return l != LANGUAGE_UNKNOWN && l != LANGUAGE_OBJECT;
}

/* What was asked for, else the suffix, else (standard input) what the bytes look like. */
static enum language language_of(const char *path, const char *bytes, size_t size,
                                 const struct driver_options *options) {
    if (options->language)
        return by_name(options->language);
    enum language found = by_suffix(path);
    if (found == LANGUAGE_UNKNOWN && strcmp(file_kind(bytes, size), "an ELF file") == 0)
        return LANGUAGE_OBJECT;
    if (found == LANGUAGE_UNKNOWN && strcmp(path, "-") == 0)
        return LANGUAGE_EZ;
    return found;
}

/* What the file is when that is no text at all, else NULL. */
static const char *no_text(const char *bytes, size_t size) {
    static const char *const kinds[] = {"a NumPy array", "a picture", "an ELF file"};
    const char *kind = file_kind(bytes, size);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kind, kinds[i]) == 0)
            return kind;
    return NULL;
}

/* False after reporting a file that is something else than its language says. */
static bool is_program(const char *name, const char *bytes, size_t size, enum language language,
                       struct diag *diag) {
    static const char *const wanted[] = {
        [LANGUAGE_UNKNOWN] = "a program",         [LANGUAGE_EZ] = "an ezpim program",
        [LANGUAGE_PYTHON] = "a kernel in Python", [LANGUAGE_ASSEMBLY] = "assembly text",
        [LANGUAGE_ERC] = "a program in .erc",     [LANGUAGE_RC] = "a program in .rc"};
    bool is_text = language != LANGUAGE_OBJECT && language != LANGUAGE_KERNEL;
    const char *kind = is_text ? no_text(bytes, size) : NULL;
    if (!kind)
        return true;
    struct span at = {diag_source(diag, name, NULL, 0), 0, 0};
    diag_error(diag, at, "this is %s, not %s", kind, wanted[language]);
    if (strcmp(kind, "an ELF file") == 0)
        diag_note(diag, NO_SPAN, "names of objects end in .o, those of programs in .mpu");
    return false;
}

/* False after reporting a constant that is no integer where there are no others. */
static bool defines_fit(enum language language, const struct driver_options *options,
                        struct diag *diag) {
    if (language == LANGUAGE_EZ || language == LANGUAGE_PYTHON || language == LANGUAGE_OBJECT ||
        language == LANGUAGE_KERNEL)
        return true;
    for (size_t i = 0; i < options->ez.define_count; i++) {
        const struct asm_define *d = &options->ez.defines[i];
        if (d->real)
            diag_error(diag, NO_SPAN, "-D %s=%s: constants are integers here", d->name, d->real);
        if (d->real)
            return false;
    }
    return true;
}

static struct object *import(const char *name, const char *bytes, size_t size, bool assembly,
                             const struct driver_options *options, struct diag *diag) {
    struct erc_options erc = options->erc;
    erc.assembly = assembly;
    return erc_compile(name, bytes, size, &erc, diag);
}

/* What the linker calls the entry is the function that is compiled. */
static struct object *compile_kernel(const char *name, const char *bytes, size_t size,
                                     const struct driver_options *options, struct diag *diag) {
    struct ez_options kernel = options->ez;
    kernel.entry = options->entry;
    return np_compile(name, bytes, size, &kernel, diag);
}

/* The bytes that a front end takes; of a file without a known ending as many as any reader. */
static size_t most_bytes(enum language language) {
    if (language == LANGUAGE_OBJECT || language == LANGUAGE_KERNEL || language == LANGUAGE_UNKNOWN)
        return FILE_MAX_OBJECT;
    return language == LANGUAGE_ASSEMBLY ? FILE_MAX_SOURCE : FILE_MAX_LANGUAGE;
}

/* False after reporting a text that is too large for its front end. */
static bool has_room(const char *name, size_t size, enum language language, struct diag *diag) {
    size_t most = most_bytes(language);
    if (size <= most)
        return true;
    diag_error(diag, (struct span){diag_source(diag, name, NULL, 0), 0, 0},
               "the source is larger than %zu MiB", most >> 20);
    return false;
}

static void unknown_suffix(const char *name, struct diag *diag) {
    struct str kernels = {0};
    const char *suffix;
    for (size_t i = 0; (suffix = link_kernel_suffix(i)); i++)
        str_printf(&kernels, "%s, ", suffix);
    diag_error(
        diag, NO_SPAN,
        "%s: the suffix names no language; files are .ez, .py, .s, .erc, .rc, .cu, %s.o or .mpu",
        name, str_text(&kernels));
    str_free(&kernels);
}

/* Kernels in CUDA become PTX. */
static bool is_cuda(const char *path, const struct driver_options *options) {
    size_t n = strlen(path), m = strlen(DRIVER_CUDA);
    return options->language ? strcmp(options->language, DRIVER_CUDA + 1) == 0
                             : n > m && strcmp(path + n - m, DRIVER_CUDA) == 0;
}

static const char *kernel_suffix(const char *path, const struct driver_options *options) {
    if (is_cuda(path, options))
        return DRIVER_PTX;
    return options->language ? driver_kernel_language(options->language)
                             : driver_kernel_suffix(path);
}

bool driver_is_kernels(const char *path, const struct driver_options *options) {
    const char *suffix = kernel_suffix(path, options);
    return suffix && driver_declares_kernels(suffix);
}

static struct object *load_kernels(const char *name, const char *suffix, const char *bytes,
                                   size_t size, const struct driver_options *options,
                                   struct diag *diag) {
    const struct driver_launches *x = &options->launches;
    if (driver_declares_kernels(suffix))
        return driver_launch_program(name, suffix, bytes, size, x, diag);
    if (!x->launch_count && !x->buffer_count)
        return driver_kernel_program(name, suffix, bytes, size, diag);
    diag_error(diag, NO_SPAN, "%s: files of this suffix are one kernel, which is launched as it is",
               name);
    return NULL;
}

static struct object *load_cuda(const char *name, const char *text, size_t size,
                                const struct driver_options *options, struct diag *diag) {
    struct str ptx = {0};
    struct object *o = NULL;
    char *made = driver_cuda_name(name);
    if (driver_cuda_compile(name, text, size, &ptx, diag))
        o = load_kernels(made, DRIVER_PTX, str_text(&ptx), ptx.len, options, diag);
    str_free(&ptx);
    free(made);
    return o;
}

static struct object *load_object(const char *name, const char *bytes, size_t size,
                                  const struct driver_options *options, struct diag *diag) {
    struct object *o = object_read(name, bytes, size, diag);
    return o && (options->launches.launch_count || options->launches.buffer_count)
               ? driver_launch_object(name, o, &options->launches, diag)
               : o;
}

/* False after reporting launches that are given with a program. */
static bool launches_fit(const char *name, enum language language,
                         const struct driver_options *options, struct diag *diag) {
    if (language == LANGUAGE_KERNEL || language == LANGUAGE_OBJECT ||
        language == LANGUAGE_UNKNOWN ||
        (!options->launches.launch_count && !options->launches.buffer_count))
        return true;
    driver_report_launches(name, diag);
    return false;
}

static struct object *load_bytes(const char *path, const char *bytes, size_t size,
                                 const struct driver_options *options, struct diag *diag) {
    const char *name = strcmp(path, "-") ? path : "<stdin>";
    enum language language = language_of(path, bytes, size, options);
    if (!is_program(name, bytes, size, language, diag) || !has_room(name, size, language, diag) ||
        !defines_fit(language, options, diag) || !launches_fit(name, language, options, diag))
        return NULL;
    switch (language) {
    case LANGUAGE_EZ:
        return ez_compile(name, bytes, size, &options->ez, diag);
    case LANGUAGE_PYTHON:
        return compile_kernel(name, bytes, size, options, diag);
    case LANGUAGE_ASSEMBLY:
        return asm_assemble(name, bytes, size, &options->as, diag);
    case LANGUAGE_ERC:
    case LANGUAGE_RC:
        return import(name, bytes, size, language == LANGUAGE_RC, options, diag);
    case LANGUAGE_OBJECT:
        return load_object(name, bytes, size, options, diag);
    case LANGUAGE_KERNEL:
        if (is_cuda(path, options))
            return load_cuda(name, bytes, size, options, diag);
        return load_kernels(name, kernel_suffix(path, options), bytes, size, options, diag);
    case LANGUAGE_UNKNOWN:
        break;
    }
    unknown_suffix(name, diag);
    return NULL;
}

/* A fresh copy of a text that stands in memory, or of the file; NULL with errno set. */
static char *read_bytes(const char *path, const struct driver_options *options, size_t most,
                        size_t *size) {
    for (size_t i = 0; i < options->text_count; i++)
        if (strcmp(options->texts[i].path, path) == 0) {
            char *copy = xcalloc(options->texts[i].size + 1, 1);
            *size = options->texts[i].size;
            memcpy(copy, options->texts[i].bytes, *size);
            return copy;
        }
    char *bytes = file_read_most(path, most, size);
    if (bytes)
        file_uses_read(options->files, path);
    return bytes;
}

/* Whether bytes of the language that a name stands for are a text, and no object and no words. */
static bool holds_text(const char *path, const char *bytes, size_t size, enum language language,
                       const struct driver_options *options) {
    if (language == LANGUAGE_KERNEL)
        return link_kernel_is_text(kernel_suffix(path, options));
    return language != LANGUAGE_OBJECT && strcmp(file_kind(bytes, size), "an ELF file") != 0;
}

/* The bytes of an input, with a NUL behind them, those of a text settled; NULL after reporting. */
static char *read_input(const char *path, const struct driver_options *options, size_t *size,
                        struct diag *diag) {
    enum language language = options->language ? by_name(options->language) : by_suffix(path);
    char *bytes = read_bytes(path, options, most_bytes(language), size);
    if (bytes &&
        (!holds_text(path, bytes, *size, language, options) || file_settle_text(bytes, size)))
        return bytes;
    diag_error(diag, NO_SPAN, "cannot read '%s': %s", path, file_problem(errno));
    free(bytes);
    return NULL;
}

struct object *driver_load(const char *path, const struct driver_options *options,
                           struct diag *diag, bool *io_error) {
    size_t size;
    char *bytes = read_input(path, options, &size, diag);
    *io_error = bytes == NULL;
    if (!bytes)
        return NULL;
    struct object *o = load_bytes(path, bytes, size, options, diag);
    if (options->loaded)
        options->loaded(options->context, path, o, size);
    free(bytes);
    return o;
}

static enum language expected(const char *path, const struct driver_options *options) {
    enum language l = options->language ? by_name(options->language) : by_suffix(path);
    return l == LANGUAGE_UNKNOWN && strcmp(path, "-") == 0 ? LANGUAGE_EZ : l;
}

/* Reads a source of a program of several; false after reporting. */
static bool read_source(const char *path, const struct driver_options *options,
                        struct ez_source *source, struct diag *diag, bool *io_error) {
    char *bytes = read_input(path, options, &source->size, diag);
    source->name = strcmp(path, "-") ? path : "<stdin>";
    source->text = bytes;
    *io_error |= bytes == NULL;
    return bytes && is_program(source->name, bytes, source->size, LANGUAGE_EZ, diag);
}

/* The .ez files among the paths as one program. */
static struct object *load_together(const char *const *paths, size_t count,
                                    const struct driver_options *options, struct diag *diag,
                                    bool *io_error) {
    struct ez_source *sources = xcalloc(count, sizeof *sources);
    struct object *o = NULL;
    size_t n = 0;
    bool good = true;
    for (size_t i = 0; i < count; i++)
        if (expected(paths[i], options) == LANGUAGE_EZ)
            good &= read_source(paths[i], options, &sources[n++], diag, io_error);
    if (good)
        o = ez_compile_all(sources, n, &options->ez, diag);
    for (size_t i = 0; i < n; i++) {
        if (options->loaded && sources[i].text)
            options->loaded(options->context, sources[i].name, i == 0 ? o : NULL, sources[i].size);
        free((char *)sources[i].text);
    }
    free(sources);
    return o;
}

bool driver_is_one(const char *const *paths, size_t count, const struct driver_options *options) {
    for (size_t i = 0; i < count && count > 1; i++)
        if (expected(paths[i], options) != LANGUAGE_EZ)
            return false;
    return true;
}

struct object *driver_load_all(const char *const *paths, size_t count,
                               const struct driver_options *options, struct diag *diag,
                               bool *io_error) {
    *io_error = false;
    return count == 1 ? driver_load(paths[0], options, diag, io_error)
                      : load_together(paths, count, options, diag, io_error);
}

static struct object *link_all(struct object *const *inputs, size_t count,
                               const struct driver_options *options, struct diag *diag) {
    enum language said = options->language   ? by_name(options->language)
                         : inputs[0]->source ? by_suffix(inputs[0]->source)
                                             : LANGUAGE_UNKNOWN;
    bool kernel = count == 1 && said == LANGUAGE_PYTHON;
    struct link_options link = {.entry = kernel ? NULL : options->entry,
                                .relocatable = options->parts};
    return link_objects((const struct object *const *)inputs, count, &link, diag);
}

/* Imported programs name MPUs by number, and each MPU has a text of its own. */
static bool is_imported(const char *path, const struct driver_options *options) {
    enum language l = options->language ? by_name(options->language) : by_suffix(path);
    return l == LANGUAGE_ERC || l == LANGUAGE_RC;
}

static uint32_t count_imported(const char *const *paths, size_t count,
                               const struct driver_options *options) {
    uint32_t n = 0;
    for (size_t i = 0; i < count; i++)
        n += is_imported(paths[i], options);
    return n;
}

/* A linked program is all of a program. */
static bool joins(const char *path, const struct object *object, size_t count, struct diag *diag) {
    if (count == 1 || !object->linked)
        return true;
    diag_error(diag, NO_SPAN, "'%s' is already linked; link the objects that it was made of", path);
    return false;
}

/* The objects of the inputs, in the order of the command line; how many there are.  *good becomes
 * false when one could not be made. */
static size_t load_inputs(const char *const *paths, size_t count, struct driver_options *each,
                          struct diag *diag, struct object **inputs, bool *good, bool *io_error) {
    size_t made = 0, programs = 0;
    for (size_t i = 0; i < count; i++)
        programs += expected(paths[i], each) == LANGUAGE_EZ;
    for (size_t i = 0, seen = 0; i < count; i++) {
        bool ez = programs > 1 && expected(paths[i], each) == LANGUAGE_EZ, unreadable = false;
        if (ez && seen++)
            continue;
        inputs[made] = ez ? load_together(paths, count, each, diag, &unreadable)
                          : driver_load(paths[i], each, diag, &unreadable);
        each->erc.mpu += is_imported(paths[i], each);
        *io_error |= unreadable;
        *good &= inputs[made] && joins(paths[i], inputs[made], count, diag);
        made++;
    }
    return made;
}

/* What cannot be read is reported when its turn comes, with what is wrong in it. */
static char *read_quietly(const char *path, const struct driver_options *options, size_t *size) {
    struct diag *quiet = diag_new(NULL, NULL);
    char *bytes = is_imported(path, options) ? read_input(path, options, size, quiet) : NULL;
    diag_free(quiet);
    return bytes;
}

/* Each text of a program of several MPUs wants to know what the others send, so all are read before
 * one is compiled.  They follow the caller's in the list that is returned; free_texts. */
static struct driver_text *read_imported(const char *const *paths, size_t count,
                                         struct driver_options *each) {
    struct driver_text *texts = xcalloc(each->text_count + count, sizeof *texts);
    size_t n = 0;
    for (; n < each->text_count; n++)
        texts[n] = each->texts[n];
    each->erc.knows_sent = true;
    for (size_t i = 0; i < count; i++) {
        struct erc_options erc = each->erc;
        struct driver_text t = {.path = paths[i]};
        erc.assembly = expected(paths[i], each) == LANGUAGE_RC;
        t.bytes = read_quietly(paths[i], each, &t.size);
        each->erc.knows_sent &= t.bytes != NULL;
        if (!t.bytes)
            continue;
        each->erc.sent |= erc_sent(t.bytes, t.size, &erc);
        texts[n++] = t;
    }
    each->texts = texts;
    each->text_count = n;
    return texts;
}

/* Those of the list from number `first` on are its own. */
static void free_texts(struct driver_text *texts, size_t first, size_t count) {
    for (size_t i = first; texts && i < count; i++)
        free((char *)texts[i].bytes);
    free(texts);
}

static bool is_linked(const char *path) {
    size_t n = strlen(path);
    return n > 4 && strcmp(path + n - 4, ".mpu") == 0;
}

/* True if no program is there twice, under whatever name. */
static bool programs_differ(const char *const *paths, size_t count, struct diag *diag) {
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < i && is_linked(paths[i]); k++)
            if (file_is_same(paths[k], paths[i])) {
                diag_error(diag, NO_SPAN, "'%s' is given twice", paths[i]);
                return false;
            }
    return true;
}

struct object *driver_link(const char *const *paths, size_t count,
                           const struct driver_options *options, struct diag *diag,
                           bool *io_error) {
    struct object **inputs = xcalloc(count + 1, sizeof *inputs), *linked = NULL;
    struct driver_options each = *options;
    bool good = true;
    *io_error = false;
    if (!programs_differ(paths, count, diag)) {
        free(inputs);
        return NULL;
    }
    each.erc.has_mpu |= count_imported(paths, count, options) > 1;
    struct driver_text *texts = each.erc.has_mpu ? read_imported(paths, count, &each) : NULL;
    size_t made = load_inputs(paths, count, &each, diag, inputs, &good, io_error);
    if (good && made == 1 && inputs[0]->linked && !options->entry) {
        linked = inputs[0];
        inputs[0] = NULL;
    } else if (good) {
        linked = link_all(inputs, made, options, diag);
    }
    if (linked && !linked->text.len && linked->kernels.len && !options->parts) {
        driver_report_kernels(paths[0], linked, diag);
        object_free(linked);
        linked = NULL;
    }
    for (size_t i = 0; i < made; i++)
        if (inputs[i])
            object_free(inputs[i]);
    free_texts(texts, options->text_count, each.text_count);
    free(inputs);
    return linked;
}
