/* SPDX-License-Identifier: MIT */
#include "tests/observe/command.h"

#include "tools/mpu-run/run.h"
#include "support/file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { MAX_WORDS = 40 };

static void slurp(FILE *f, char *text, size_t size) {
    rewind(f);
    text[fread(text, 1, size - 1, f)] = '\0';
    fclose(f);
}

struct outcome *run_command(const char *words, struct run_signals *signals) {
    static struct outcome r;
    char text[2048], *argv[MAX_WORDS] = {"mpu-run"};
    int argc = 1;
    FILE *out = tmpfile(), *err = tmpfile();
    struct command_line cl;
    snprintf(text, sizeof text, "%s", words);
    for (char *word = strtok(text, " "); word; word = strtok(NULL, " ")) {
        assert_true(argc < MAX_WORDS);
        argv[argc++] = word;
    }
    assert_true(command_line_parse(&mpu_run_tool, argc, argv, &cl, &r.code));
    cl.printer.out = err;
    cl.printer.color = false;
    r.code = mpu_run_command(&cl, argc, argv, signals, out);
    command_line_free(&cl);
    slurp(out, r.out, sizeof r.out);
    slurp(err, r.err, sizeof r.err);
    return &r;
}

struct outcome *run_expecting(int code, const char *format, ...) {
    char words[2048];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(words, sizeof words, format, args);
    va_end(args);
    assert_in_range(n, 0, sizeof words - 1);
    struct outcome *r = run_command(words, NULL);
    if (r->code != code)
        fail_msg("%s: exit %d, messages '%s'", words, r->code, r->err);
    return r;
}

void write_source(const char *name, const char *text) {
    assert_true(file_write(name, text, strlen(text)));
}

char *read_whole(const char *name, size_t *size) {
    size_t n;
    char *text = file_read(name, size ? size : &n);
    if (!text)
        fail_msg("'%s' is not there", name);
    return text;
}
