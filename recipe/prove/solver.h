/* SPDX-License-Identifier: MIT
 * A solver as a child process: it gets the name of a file and writes lines; for prove.c alone. */
#ifndef RECIPE_PROVE_SOLVER_H
#define RECIPE_PROVE_SOLVER_H

#include "support/str.h"

#include <sys/types.h>

struct smt_solver {
    pid_t pid;      /* 0: none */
    int out;        /* read end of its standard output and error; -1: none */
    char *file;     /* NULL: none */
    struct str got; /* output not yet handed out */
    size_t taken;   /* bytes of it that were */
    bool ended;     /* all output has been read */
};

/* Solvers known here, the preferred one first; NULL ends the list. */
const char *const *prove_solver_names(void);
/* The first executable file of that name in PATH, or `name` itself if it holds a slash. */
bool prove_solver_find(const char *name, char *path, size_t size);
/* Writes the text, which is of one logic, to a fresh file and starts the solver on it.  limit: what
 * it spends on each question at most, in its own units; 0, or a solver other than cvc5: there is
 * none.  False (errno set) if the file or the process could not be made; then there is nothing to
 * stop. */
bool prove_solver_start(struct smt_solver *solver, const char *path, unsigned limit,
                        const char *text, size_t size);
enum solver_event { SOLVER_LINE, SOLVER_END, SOLVER_LATE };
/* Waits for the next line (without its end) until the deadline, a time of prove_solver_clock. */
enum solver_event prove_solver_read(struct smt_solver *solver, double deadline, struct str *line);
/* Ends the process if it still runs, removes the file, frees everything. */
void prove_solver_stop(struct smt_solver *solver);
/* Seconds since some moment in the past. */
double prove_solver_clock(void);

#endif
