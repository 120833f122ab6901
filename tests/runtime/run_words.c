/* SPDX-License-Identifier: MIT */
#include "run_words.h"

#include "tools/mpu-run/run.h"
#include "support/file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Cuts the first word off *rest; NULL: there is none. */
static char *next_word(char **rest) {
    char *word = *rest + strspn(*rest, " "), *to = word, *from = word;
    bool quoted = false;
    for (; *from && (quoted || *from != ' '); from++)
        if (*from == '"')
            quoted = !quoted;
        else
            *to++ = *from;
    *rest = *from ? from + 1 : from;
    if (from == word)
        return NULL;
    *to = '\0';
    return word;
}

const struct words_result *run_words(const char *words) {
    enum { MAX_WORDS = 64 };
    static struct words_result r;
    char text[4096], *rest = text, *argv[MAX_WORDS] = {"mpu-run"};
    size_t out_size, err_size;
    int argc = 1;
    free(r.out);
    free(r.err);
    FILE *out = open_memstream(&r.out, &out_size), *err = open_memstream(&r.err, &err_size);
    struct command_line cl;
    snprintf(text, sizeof text, "%s", words);
    for (char *word = next_word(&rest); word && argc < MAX_WORDS; word = next_word(&rest))
        argv[argc++] = word;
    assert_true(command_line_parse(&mpu_run_tool, argc, argv, &cl, &r.code));
    cl.printer.out = err;
    cl.printer.color = false;
    r.code = mpu_run_command(&cl, argc, argv, NULL, out);
    command_line_free(&cl);
    fclose(out);
    fclose(err);
    return &r;
}

void words_end_with(const char *words, int code, const char *part) {
    const struct words_result *r = run_words(words);
    if (r->code != code || !strstr(r->err, part))
        fail_msg("%s: exit %d, messages '%s'", words, r->code, r->err);
}

void write_words(const char *file, const char *text) {
    assert_true(file_write(file, text, strlen(text)));
}
