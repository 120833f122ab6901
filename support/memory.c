/* SPDX-License-Identifier: MIT
 * The least of the machine's memory, of control groups and of resource limits. */
#include "support/memory.h"

#include "support/alloc.h"
#include "support/file.h"
#include "support/str.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { MAX_TEXT = 1 << 16 };

static uint64_t lesser(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

/* The number in a file; UINT64_MAX if there is no such file, or "max" in it. */
static uint64_t bound_in(const char *path) {
    size_t size;
    uint64_t value = UINT64_MAX;
    char *text = file_read_named(path, MAX_TEXT, &size);
    if (text && !number_parse_u64(text, strcspn(text, "\n"), &value))
        value = UINT64_MAX;
    free(text);
    return value;
}

/* The least bound of a group and of all around it.  In a container the group's path may be that of
 * the host while its own files lie at the top, so that every beginning of the path is tried. */
static uint64_t bound_of_group(const char *folder, const char *group, size_t length,
                               const char *file) {
    uint64_t least = UINT64_MAX;
    struct str path = {0};
    for (;;) {
        while (length && group[length - 1] == '/')
            length--;
        str_clear(&path);
        str_append(&path, folder);
        str_append_n(&path, group, length);
        str_printf(&path, "/%s", file);
        least = lesser(least, bound_in(path.text));
        if (!length)
            break;
        while (length && group[length - 1] != '/')
            length--;
    }
    str_free(&path);
    return least;
}

/* True if `name` is one of a list with commas. */
static bool is_listed(const char *list, size_t length, const char *name) {
    size_t n = strlen(name);
    for (const char *end = list + length; list < end;) {
        const char *comma = memchr(list, ',', (size_t)(end - list));
        const char *stop = comma ? comma : end;
        if ((size_t)(stop - list) == n && memcmp(list, name, n) == 0)
            return true;
        list = stop + 1;
    }
    return false;
}

/* A line is NUMBER:CONTROLLERS:PATH; version 2 has no controllers. */
static uint64_t bound_of_line(const char *line, size_t length, const char *mounted) {
    const char *end = line + length, *list = memchr(line, ':', length);
    const char *path = list ? memchr(list + 1, ':', (size_t)(end - list - 1)) : NULL;
    if (!path)
        return UINT64_MAX;
    size_t listed = (size_t)(path - list - 1), n = (size_t)(end - path - 1);
    struct str folder = {0};
    uint64_t bound = UINT64_MAX;
    str_append(&folder, mounted);
    if (!listed)
        bound = bound_of_group(folder.text, path + 1, n, "memory.max");
    str_append(&folder, listed ? "/memory" : "/unified"); /* beside version 1 */
    if (!listed)
        bound = lesser(bound, bound_of_group(folder.text, path + 1, n, "memory.max"));
    else if (is_listed(list + 1, listed, "memory"))
        bound = bound_of_group(folder.text, path + 1, n, "memory.limit_in_bytes");
    str_free(&folder);
    return bound;
}

uint64_t memory_of_groups(const char *groups, const char *mounted) {
    uint64_t least = UINT64_MAX;
    while (*groups) {
        size_t n = strcspn(groups, "\n");
        least = lesser(least, bound_of_line(groups, n, mounted));
        groups += n + (groups[n] == '\n');
    }
    return least;
}

static uint64_t bound_of_groups(void) {
    size_t size;
    char *groups = file_read_named("/proc/self/cgroup", MAX_TEXT, &size);
    uint64_t bound = groups ? memory_of_groups(groups, "/sys/fs/cgroup") : UINT64_MAX;
    free(groups);
    return bound;
}

static uint64_t bound_of_resources(void) {
    struct rlimit space = {.rlim_cur = RLIM_INFINITY}, data = {.rlim_cur = RLIM_INFINITY};
    getrlimit(RLIMIT_AS, &space); /* what fails leaves no bound, which is the greatest number */
    getrlimit(RLIMIT_DATA, &data);
    return lesser(space.rlim_cur, data.rlim_cur);
}

static uint64_t physical(void) {
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    return pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size : UINT64_MAX;
}

uint64_t memory_limit(void) {
    return lesser(lesser(physical(), bound_of_groups()), bound_of_resources());
}
