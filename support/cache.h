/* SPDX-License-Identifier: MIT
 * What took long to work out, kept in files from one run to the next (docs/formats.md, "The
 * cache").  It is a matter of speed alone: whatever cannot be read, written or trusted counts as
 * not there, nothing is reported, and the same is worked out again.
 *
 * The key of an entry names everything that its bytes follow from, so that an entry is never out of
 * date.  Processes may use one folder at the same time: an entry appears whole or not at all. */
#ifndef SUPPORT_CACHE_H
#define SUPPORT_CACHE_H

#include "support/str.h"

#include <stdbool.h>
#include <stdint.h>

#define CACHE_MOST_BYTES ((uint64_t)256 << 20)

struct cache;

/* The user's: mpu below $XDG_CACHE_HOME, else below $HOME/.cache, to be freed; NULL if neither is
 * an absolute path. */
char *cache_user_folder(void);
/* A folder that need not be there: the first entry makes it.  Beyond so many bytes the entries that
 * were used the longest ago go. */
struct cache *cache_open(const char *folder, uint64_t most_bytes);
void cache_close(struct cache *cache); /* NULL: nothing */
const char *cache_folder(const struct cache *cache);

/* The name of an entry: SHA-256 of a text, 64 digits, behind what kind of thing it is (a word of
 * small letters). */
struct cache_key {
    const char *kind;
    char hash[65];
};
struct cache_key cache_key_of(const char *kind, const void *text, size_t size);

/* Appends the bytes of an entry; false if there is none.  A damaged one is removed.  May be called
 * from any thread, as may cache_put; cache NULL holds nothing. */
bool cache_get(const struct cache *cache, const struct cache_key *key, struct str *out);
void cache_put(const struct cache *cache, const struct cache_key *key, const void *data,
               size_t size);

#endif
