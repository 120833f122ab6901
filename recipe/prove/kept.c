/* SPDX-License-Identifier: MIT
 * A line for each proof: the hash, a blank, and what was proved, for people. */
#include "recipe/prove/kept.h"

#include "support/alloc.h"
#include "support/file.h"
#include "support/map.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HASH 64

struct kept_proofs {
    char *path; /* NULL: none */
    struct map hashes;
};

static void read_lines(struct kept_proofs *kept, const char *text, size_t size) {
    for (const char *at = text, *end = text + size; at < end;) {
        const char *line = memchr(at, '\n', (size_t)(end - at));
        line = line ? line : end;
        if (line - at > HASH && at[HASH] == ' ')
            map_put_n(&kept->hashes, at, HASH, 1);
        at = line + 1;
    }
}

struct kept_proofs *prove_kept_open(const char *path) {
    struct kept_proofs *k = xcalloc(1, sizeof *k);
    size_t size;
    if (!path)
        return k;
    char *text = file_read(path, &size);
    bool fine = text || errno == ENOENT;
    size_t length = strlen(path) + 1;
    k->path = memcpy(xmalloc(length), path, length);
    if (text)
        read_lines(k, text, size);
    free(text);
    if (fine)
        return k;
    int error = errno;
    prove_kept_close(k);
    errno = error;
    return NULL;
}

void prove_kept_close(struct kept_proofs *kept) {
    if (!kept)
        return;
    map_free(&kept->hashes);
    free(kept->path);
    free(kept);
}

bool prove_kept_has(const struct kept_proofs *kept, const char *hash) {
    return map_get_n(&kept->hashes, hash, HASH) != NULL;
}

bool prove_kept_add(struct kept_proofs *kept, const char *hash, const char *name) {
    map_put_n(&kept->hashes, hash, HASH, 1);
    if (!kept->path)
        return true;
    FILE *f = fopen(kept->path, "a");
    if (!f)
        return false;
    bool fine = fprintf(f, "%.*s %s\n", HASH, hash, name) > 0;
    return fclose(f) == 0 && fine;
}
