/* SPDX-License-Identifier: MIT
 * clang as a program, which reads the text from its standard input. */
#define _GNU_SOURCE /* dladdr */
#include "ezpim/cuda_file.h"

#include "support/alloc.h"
#include "support/file.h"

#include <dlfcn.h>
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* ---- where the header is ---- */

static bool has_header(const struct str *folder) {
    struct str path = {0};
    str_printf(&path, "%s/mpu/cuda.h", str_text(folder));
    bool there = access(str_text(&path), R_OK) == 0;
    str_free(&path);
    return there;
}

/* `up` folders above the file, and down from there; false: that has no header. */
static bool look(const char *file, unsigned up, const char *down, struct str *out) {
    size_t n = strlen(file);
    for (; up && n; up--)
        while (n && file[--n] != '/')
            ;
    str_clear(out);
    str_printf(out, "%.*s/%s", (int)n, file, down);
    return has_header(out);
}

/* The folder that has mpu/cuda.h: the tool or library lies in bin, lib or lib/MACHINE of an
 * installation, or in bin or lib of a folder that was built in the sources. */
static bool find_header(struct str *out) {
    const char *said = getenv("MPU_INCLUDE");
    if (said) {
        str_append(out, said);
        return has_header(out);
    }
    static const char anchor; /* lies where this code does */
    Dl_info info;
    /* A tool that the PATH found is known by its name alone. */
    char *file = !dladdr(&anchor, &info)       ? NULL
                 : strchr(info.dli_fname, '/') ? realpath(info.dli_fname, NULL)
                                               : realpath("/proc/self/exe", NULL);
    bool found = file && (look(file, 2, "include", out) || look(file, 3, "include", out) ||
                          look(file, 3, "runtime/include", out));
    free(file);
    return found;
}

/* ---- the process ---- */

struct clang {
    const char *program;
    FILE *in, *out, *errors;
    int status; /* of waitpid; */
    int error;  /* errno: it was not started */
};

static void run(struct clang *c, char *const *words) {
    posix_spawn_file_actions_t actions;
    pid_t pid;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, fileno(c->in), 0);
    posix_spawn_file_actions_adddup2(&actions, fileno(c->out), 1);
    posix_spawn_file_actions_adddup2(&actions, fileno(c->errors), 2);
    c->error = posix_spawnp(&pid, c->program, &actions, NULL, words, environ);
    posix_spawn_file_actions_destroy(&actions);
    while (!c->error && waitpid(pid, &c->status, 0) < 0 && errno == EINTR)
        ;
}

/* The text with a line before it that says where it is from. */
static bool write_text(FILE *f, const char *name, const char *text, size_t size) {
    fputs("# 1 \"", f);
    for (const char *c = name; *c; c++)
        fprintf(f, *c == '"' || *c == '\\' ? "\\%c" : "%c", *c);
    fputs("\"\n", f);
    fwrite(text, 1, size, f);
    return fflush(f) == 0 && fseek(f, 0, SEEK_SET) == 0;
}

static void read_all(FILE *f, struct str *out) {
    char block[4096];
    rewind(f);
    for (size_t n; (n = fread(block, 1, sizeof block, f)) > 0;)
        str_append_n(out, block, n);
}

/* ---- what it says ---- */

/* "k.cu:3:5: error: .." as a message of ours at that place. */
static void report_line(const char *line, size_t n, const char *name, const char *text, size_t size,
                        struct diag *diag) {
    static const char *const kinds[] = {": error: ", ": fatal error: ", ": note: "};
    char *copy = xstrndup(line, n), *kind = NULL;
    unsigned at = 0, column = 0, k = 0;
    for (; k < 3 && !(kind = strstr(copy, kinds[k])); k++)
        ;
    if (kind) {
        struct span span = NO_SPAN;
        const char *says = kind + strlen(kinds[k]);
        size_t length = strlen(name);
        *kind = '\0';
        bool here = strncmp(copy, name, length) == 0 && copy[length] == ':' &&
                    sscanf(copy + length + 1, "%u:%u", &at, &column) == 2;
        if (here) {
            span = diag_text_line(diag, name, text, size, at);
            if (column && span.begin + column - 1 < span.end)
                span.begin += column - 1;
        }
        if (k == 2 && here)
            diag_note(diag, span, "%s", says);
        else if (k < 2)
            diag_error(diag, span, here ? "%s" : "%s (%s)", says, copy);
    }
    free(copy);
}

#define BREAKS_OFF "fatal error: " /* without a place: what follows is for those who mend clang */

static void report(const struct str *said, const char *name, const char *text, size_t size,
                   struct diag *diag) {
    const uint32_t before = diag_errors(diag);
    for (const char *line = str_text(said), *next; *line; line = next) {
        size_t n = strcspn(line, "\n");
        next = line + n + (line[n] == '\n');
        if (strncmp(line, BREAKS_OFF, strlen(BREAKS_OFF)) == 0) {
            diag_error(diag, NO_SPAN, "clang cannot compile '%s': %.*s", name,
                       (int)(n - strlen(BREAKS_OFF)), line + strlen(BREAKS_OFF));
            return;
        }
        report_line(line, n, name, text, size, diag);
    }
    if (diag_errors(diag) == before)
        diag_error(diag, NO_SPAN, "clang cannot compile '%s': %s", name,
                   said->len ? str_text(said) : "it says nothing");
}

static bool judge(const struct clang *c, const char *name, const char *text, size_t size,
                  struct str *ptx, struct diag *diag) {
    struct str said = {0};
    bool fine = !c->error && WIFEXITED(c->status) && WEXITSTATUS(c->status) == 0;
    if (c->error || (WIFEXITED(c->status) && WEXITSTATUS(c->status) == 127)) {
        diag_error(diag, NO_SPAN,
                   "'%s' is in CUDA, which clang compiles, and '%s' is not there: %s", name,
                   c->program, strerror(c->error ? c->error : ENOENT));
        diag_note(diag, NO_SPAN,
                  "the environment's MPU_CLANG names another one; PTX that was made elsewhere (%s) "
                  "needs none",
                  DRIVER_PTX);
    } else if (fine) {
        read_all(c->out, ptx);
    } else {
        read_all(c->errors, &said);
        report(&said, name, text, size, diag);
    }
    str_free(&said);
    return fine;
}

static void compile(struct clang *c, const char *name, const struct str *include) {
    struct str header = {0}, quoted = {0};
    const char *slash = strrchr(name, '/');
    str_printf(&header, "-I%s", str_text(include));
    str_printf(&quoted, "%.*s", slash ? (int)(slash - name) : 1, slash ? name : ".");
    const char *words[] = {c->program,
                           "-x",
                           "cuda",
                           "--cuda-device-only",
                           "-nocudainc",
                           "-nocudalib",
                           "--cuda-path=/nonexistent",
                           "--cuda-gpu-arch=sm_75",
                           "-Xclang",
                           "-target-feature",
                           "-Xclang",
                           "+ptx63",
                           "-fno-caret-diagnostics",
                           "-fno-color-diagnostics",
                           "-w",
                           str_text(&header),
                           "-iquote",
                           str_text(&quoted),
                           "-include",
                           "mpu/cuda.h",
                           "-O2",
                           "-gline-directives-only",
                           "-S",
                           "-o",
                           "-",
                           "-",
                           NULL};
    run(c, (char *const *)words);
    str_free(&header);
    str_free(&quoted);
}

char *driver_cuda_name(const char *name) {
    struct str out = {0};
    size_t n = strlen(name), m = strlen(DRIVER_CUDA);
    bool ends = n > m && strcmp(name + n - m, DRIVER_CUDA) == 0;
    str_printf(&out, "%.*s%s", (int)(ends ? n - m : n), name, DRIVER_PTX);
    return out.text;
}

bool driver_cuda_compile(const char *name, const char *text, size_t size, struct str *ptx,
                         struct diag *diag) {
    const char *said = getenv("MPU_CLANG");
    struct clang c = {
        .program = said ? said : "clang", .in = tmpfile(), .out = tmpfile(), .errors = tmpfile()};
    struct str include = {0};
    bool fine = false;
    if (!c.in || !c.out || !c.errors || !write_text(c.in, name, text, size)) {
        diag_error(diag, NO_SPAN, "no temporary file for '%s': %s", name, strerror(errno));
    } else if (!find_header(&include)) {
        diag_error(diag, NO_SPAN,
                   "'%s' needs the header mpu/cuda.h, which is not beside this installation; the "
                   "environment's MPU_INCLUDE names the folder that has it",
                   name);
    } else {
        compile(&c, name, &include);
        fine = judge(&c, name, text, size, ptx, diag);
    }
    FILE *files[] = {c.in, c.out, c.errors};
    for (size_t i = 0; i < 3; i++)
        if (files[i])
            fclose(files[i]);
    str_free(&include);
    return fine;
}
