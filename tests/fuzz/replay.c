/* SPDX-License-Identifier: MIT
 * The harness without libFuzzer: every seed, and mutants of the seeds from a fixed number.
 *   fuzz_NAME [--mutants N] [--seed S] FILE...      each file, then N mutants of them
 * A mutant that breaks something is left as fuzz-NAME.bad in the working folder. */
#include "tests/fuzz/harness.h"

#include "support/alloc.h"
#include "support/bits.h"
#include "support/file.h"
#include "support/vec.h"

#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>
#include <fcntl.h>

enum { MAX_SEED = 1 << 16, MAX_PIECE = 32, MAX_MUTATIONS = 6 };

struct input {
    uint8_t *bytes;
    size_t size;
};

struct corpus {
    VEC(struct input) files;
    uint64_t seed;
};

/* What is being tried, for the handler that keeps it. */
static struct input tried;

static void keep_and_die(int signal_number) {
    int fd = open("fuzz.bad", O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (fd >= 0 && write(fd, tried.bytes, tried.size) == (ssize_t)tried.size)
        (void)!write(STDERR_FILENO, "the input is kept in fuzz.bad\n", 30);
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

static size_t below(struct corpus *corpus, size_t n) {
    return n ? (size_t)(splitmix64(&corpus->seed) % n) : 0;
}

static void add_file(struct corpus *corpus, const char *path) {
    struct input in;
    in.bytes = (uint8_t *)file_read(path, &in.size);
    if (!in.bytes) {
        perror(path);
        exit(3);
    }
    if (in.size <= MAX_SEED)
        vec_push(&corpus->files, in);
    else
        free(in.bytes);
}

/* Room for every mutation to insert a piece. */
static struct input copy_of(const struct input *from) {
    struct input to = {xmalloc(from->size + MAX_MUTATIONS * MAX_PIECE + 1), from->size};
    memcpy(to.bytes, from->bytes, from->size);
    return to;
}

static void remove_piece(struct corpus *corpus, struct input *in) {
    size_t at = below(corpus, in->size), n = 1 + below(corpus, MAX_PIECE);
    n = n < in->size - at ? n : in->size - at;
    memmove(in->bytes + at, in->bytes + at + n, in->size - at - n);
    in->size -= n;
}

/* A piece of some seed comes in, or in the place of what stands there. */
static void splice(struct corpus *corpus, struct input *in, bool insert) {
    const struct input *other = &corpus->files.data[below(corpus, corpus->files.len)];
    size_t from = below(corpus, other->size), n = 1 + below(corpus, MAX_PIECE);
    size_t at = below(corpus, in->size);
    n = n < other->size - from ? n : other->size - from;
    if (!insert)
        n = n < in->size - at ? n : in->size - at;
    if (insert) {
        memmove(in->bytes + at + n, in->bytes + at, in->size - at);
        in->size += n;
    }
    memcpy(in->bytes + at, other->bytes + from, n);
}

static void change_byte(struct corpus *corpus, struct input *in) {
    static const uint8_t edges[] = {0, 1, 0x7f, 0x80, 0xff, '0', '9', '-', '\n', '('};
    size_t at = below(corpus, in->size);
    if (below(corpus, 2))
        in->bytes[at] = edges[below(corpus, sizeof edges)];
    else
        in->bytes[at] = (uint8_t)(in->bytes[at] ^ (1u << below(corpus, 8)));
}

static void mutate(struct corpus *corpus, struct input *in) {
    for (size_t n = 1 + below(corpus, MAX_MUTATIONS - 1); n && in->size; n--)
        switch (below(corpus, 8)) {
        case 0:
            remove_piece(corpus, in);
            break;
        case 1:
        case 2:
            splice(corpus, in, true);
            break;
        case 3:
            splice(corpus, in, false);
            break;
        case 4:
            in->size = below(corpus, 8) ? in->size : below(corpus, in->size);
            break;
        default:
            change_byte(corpus, in);
        }
}

/* A copy of exactly its size, so that a sanitizer sees any read behind the end. */
static void try(const struct input *in) {
    tried = *in;
    uint8_t *exact = xmalloc(in->size ? in->size : 1);
    memcpy(exact, in->bytes, in->size);
    LLVMFuzzerTestOneInput(exact, in->size);
    free(exact);
}

static void try_mutants(struct corpus *corpus, uint64_t count) {
    for (uint64_t i = 0; corpus->files.len && i < count; i++) {
        struct input in = copy_of(&corpus->files.data[i % corpus->files.len]);
        mutate(corpus, &in);
        try(&in);
        free(in.bytes);
    }
}

int main(int argc, char **argv) {
    struct corpus corpus = {.seed = 1};
    uint64_t mutants = 0;
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--mutants") == 0 && i + 1 < argc)
            mutants = strtoull(argv[++i], NULL, 10);
        else if (strcmp(argv[i], "--seed") == 0 && i + 1 < argc)
            corpus.seed = strtoull(argv[++i], NULL, 10);
        else
            add_file(&corpus, argv[i]);
    signal(SIGABRT, keep_and_die);
    signal(SIGSEGV, keep_and_die);
    for (size_t i = 0; i < corpus.files.len; i++)
        try(&corpus.files.data[i]);
    try_mutants(&corpus, mutants);
    printf("%zu seeds and %llu mutants\n", corpus.files.len, (unsigned long long)mutants);
    for (size_t i = 0; i < corpus.files.len; i++)
        free(corpus.files.data[i].bytes);
    vec_free(&corpus.files);
    return 0;
}
