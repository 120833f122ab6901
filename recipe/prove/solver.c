/* SPDX-License-Identifier: MIT
 * Starts the solver, reads its lines with a time limit, and ends it: no child is left behind. */
#define _GNU_SOURCE /* mkostemps, pipe2 */
#include "recipe/prove/solver.h"

#include "recipe/prove/smt.h"

#include "support/alloc.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

/* What makes each of them decide bits at once: cvc5 does not without being told, and cannot where
 * there are floats. */
static const struct {
    const char *name, *option;
} known[] = {{"cvc5", "--bitblast=eager"}, {"z3", "-smt2"}};

const char *const *prove_solver_names(void) {
    static const char *const names[] = {"cvc5", "z3", NULL};
    return names;
}

double prove_solver_clock(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* --- finding it --- */

static bool fits(char *path, size_t size, const char *folder, size_t n, const char *name) {
    int length = snprintf(path, size, "%.*s%s%s", (int)n, folder, n ? "/" : "", name);
    struct stat info;
    return length > 0 && (size_t)length < size && access(path, X_OK) == 0 &&
           stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

bool prove_solver_find(const char *name, char *path, size_t size) {
    if (strchr(name, '/'))
        return fits(path, size, "", 0, name);
    const char *at = getenv("PATH");
    while (at && *at) {
        size_t n = strcspn(at, ":");
        if (n > 0 && n < 4096 && fits(path, size, at, n, name))
            return true;
        at += n + (at[n] == ':');
    }
    return false;
}

static const char *option_of(const char *path, bool floats) {
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(known[i].name, name) == 0)
            return floats && strcmp(name, "cvc5") == 0 ? NULL : known[i].option;
    return NULL;
}

/* --- the file --- */

static bool write_all(int fd, const char *text, size_t size) {
    while (size > 0) {
        ssize_t n = write(fd, text, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return false;
        text += n;
        size -= (size_t)n;
    }
    return true;
}

/* In $TMPDIR, else in the system's folder for such files; readable by the user alone. */
static char *make_file(const char *text, size_t size) {
    const char *folder = getenv("TMPDIR"), *tail = "/mpu-proof-XXXXXX.smt2";
    struct str name = {0};
    str_append(&name, folder && *folder ? folder : P_tmpdir);
    str_append(&name, tail);
    int fd = mkostemps(name.text, (int)strlen(".smt2"), O_CLOEXEC);
    if (fd < 0) {
        str_free(&name);
        return NULL;
    }
    bool fine = write_all(fd, text, size);
    fine &= close(fd) == 0;
    if (fine)
        return name.text;
    unlink(name.text);
    str_free(&name);
    return NULL;
}

static void remove_file(struct smt_solver *solver) {
    if (solver->file)
        unlink(solver->file);
    free(solver->file);
    solver->file = NULL;
}

/* --- the process --- */

static bool is_cvc5(const char *path) {
    const char *slash = strrchr(path, '/');
    return strcmp(slash ? slash + 1 : path, "cvc5") == 0;
}

/* The words of its command line, each to be freed. */
static void make_words(const struct smt_solver *solver, const char *path, unsigned limit,
                       bool floats, char *words[5]) {
    const char *option = option_of(path, floats);
    struct str text = {0};
    size_t n = 0;
    words[n++] = xstrdup(path);
    if (option)
        words[n++] = xstrdup(option);
    if (limit && is_cvc5(path)) {
        str_printf(&text, "--rlimit-per=%u", limit);
        words[n++] = text.text;
    }
    words[n++] = xstrdup(solver->file);
    words[n] = NULL;
}

static int spawn(struct smt_solver *solver, const char *path, unsigned limit, bool floats,
                 int out) {
    char *words[5];
    posix_spawn_file_actions_t actions;
    make_words(solver, path, limit, floats, words);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, out, 1);
    posix_spawn_file_actions_adddup2(&actions, out, 2);
    int error = posix_spawn(&solver->pid, path, &actions, NULL, words, environ);
    posix_spawn_file_actions_destroy(&actions);
    for (size_t i = 0; words[i]; i++)
        free(words[i]);
    return error;
}

bool prove_solver_start(struct smt_solver *solver, const char *path, unsigned limit,
                        const char *text, size_t size) {
    int ends[2];
    *solver = (struct smt_solver){.out = -1};
    solver->file = make_file(text, size);
    if (!solver->file)
        return false;
    int error = pipe2(ends, O_CLOEXEC) == 0 ? 0 : errno;
    if (!error) {
        solver->out = ends[0];
        error = spawn(solver, path, limit, prove_smt_has_floats(text), ends[1]);
        close(ends[1]);
    }
    if (!error)
        return true;
    solver->pid = 0;
    prove_solver_stop(solver);
    errno = error;
    return false;
}

/* --- its lines --- */

static bool take_line(struct smt_solver *solver, struct str *line) {
    const char *from = str_text(&solver->got) + solver->taken;
    size_t left = solver->got.len - solver->taken;
    const char *end = memchr(from, '\n', left);
    if (!end && !(solver->ended && left > 0))
        return false;
    size_t n = end ? (size_t)(end - from) : left;
    str_clear(line);
    str_append_n(line, from, n);
    solver->taken += n + (end != NULL);
    return true;
}

/* A solver that talks without end is cut off. */
#define MAX_OUTPUT (1u << 20)

static void read_more(struct smt_solver *solver) {
    char block[4096];
    ssize_t n = read(solver->out, block, sizeof block);
    if (n < 0 && errno == EINTR)
        return;
    if (n > 0 && solver->got.len < MAX_OUTPUT)
        str_append_n(&solver->got, block, (size_t)n);
    else
        solver->ended = true;
}

static bool wait_for_output(const struct smt_solver *solver, double deadline) {
    struct pollfd p = {.fd = solver->out, .events = POLLIN};
    for (;;) {
        double left = deadline - prove_solver_clock();
        if (left <= 0)
            return false;
        int n = poll(&p, 1, left < 3600 ? (int)(left * 1000) + 1 : 3600 * 1000);
        if (n > 0 || (n < 0 && errno != EINTR))
            return true;
    }
}

enum solver_event prove_solver_read(struct smt_solver *solver, double deadline, struct str *line) {
    while (!take_line(solver, line)) {
        if (solver->ended)
            return SOLVER_END;
        if (!wait_for_output(solver, deadline))
            return SOLVER_LATE;
        read_more(solver);
    }
    return SOLVER_LINE;
}

void prove_solver_stop(struct smt_solver *solver) {
    if (solver->pid > 0) {
        kill(solver->pid, SIGKILL);
        while (waitpid(solver->pid, NULL, 0) < 0 && errno == EINTR)
            continue;
    }
    if (solver->out >= 0)
        close(solver->out);
    remove_file(solver);
    str_free(&solver->got);
    *solver = (struct smt_solver){.out = -1};
}
