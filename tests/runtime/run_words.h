/* SPDX-License-Identifier: MIT
 * mpu-run in process. */
#ifndef TESTS_RUNTIME_RUN_WORDS_H
#define TESTS_RUNTIME_RUN_WORDS_H

struct words_result {
    int code;
    char *out, *err; /* what it wrote; replaced by the next run */
};
/* The command with these words, which single spaces separate; those between quotes, "a b", do not. */
const struct words_result *run_words(const char *words);
/* Fails the test unless it ends with that code, and `part` is in its messages. */
void words_end_with(const char *words, int code, const char *part);
void write_words(const char *file, const char *text);

#endif
