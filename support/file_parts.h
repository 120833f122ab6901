/* SPDX-License-Identifier: MIT
 * What the sources that read and write files share. */
#ifndef SUPPORT_FILE_PARTS_H
#define SUPPORT_FILE_PARTS_H

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* Closes fd without changing errno. */
static inline void close_quietly(int fd) {
    int saved = errno;
    close(fd);
    errno = saved;
}

/* Bytes of "dir/" in "dir/file". */
static inline size_t folder_length(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

#endif
