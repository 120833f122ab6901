/* SPDX-License-Identifier: MIT
 * Diagnostics.  Libraries report here and neither print nor exit; a tool installs a consumer
 * (diag_print is the usual one) that renders them.
 *
 * Severities are a contract: an error means that the input is rejected, though checking goes on;
 * a warning means that the output is made but is perhaps not what was meant; a note belongs to
 * the error or warning before it. */
#ifndef SUPPORT_DIAG_H
#define SUPPORT_DIAG_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum severity { SEVERITY_NOTE, SEVERITY_WARNING, SEVERITY_ERROR };

/* The tools that can give a warning; what a tool cannot give is not in its help. */
enum warning_tool {
    TOOL_EZPIM = 1,
    TOOL_AS = 2,
    TOOL_LD = 4,
    TOOL_OBJDUMP = 8,
    TOOL_RECIPE = 16,
    TOOL_RUN = 32,
    TOOLS_COMPILE = TOOL_EZPIM | TOOL_RUN,    /* sources in ezpim and Python */
    TOOLS_ASSEMBLE = TOOLS_COMPILE | TOOL_AS, /* assembly, imported programs too */
    TOOLS_LINK = TOOLS_COMPILE | TOOL_LD,
    TOOLS_PACKAGE = TOOLS_LINK | TOOL_OBJDUMP,
};
/* Every warning of every tool, in support/warnings.def: X(ID, "name", default_on, TOOLS,
 * "one line"); TOOLS are those that can give it. */
enum warning {
#define X(id, name, on, tools, text) W_##id,
#include "support/warnings.def"
#undef X
    WARNING_COUNT
};
struct warning_info {
    const char *name;
    bool on;
    uint32_t tools; /* bits of enum warning_tool */
    const char *text;
};
extern const struct warning_info diag_warning_table[WARNING_COUNT];

/* Bytes [begin, end) of source number `source`; source 0 is "no place". */
struct span {
    uint32_t source, begin, end;
};
#define NO_SPAN ((struct span){0, 0, 0})

struct fixit {
    struct span at;
    const char *text; /* replaces the bytes of `at` */
};

/* One finished message with its notes, as the consumer gets it. */
struct message {
    enum severity severity;
    int warning; /* enum warning, or -1 */
    struct span at;
    const char *text; /* one line, no newline at the end */
    const struct fixit *fixits;
    size_t fixit_count;
    const struct message *notes;
    size_t note_count;
};

struct diag;
typedef void diag_consumer(void *context, const struct diag *d, const struct message *m);

/* A new sink.  Without a consumer messages are counted and the first is kept (diag_first). */
struct diag *diag_new(diag_consumer *consumer, void *context);
void diag_free(struct diag *diag); /* flushes first */

/* Registers a source text (copied) under the name that messages print; returns its number.
 * The same name and text may be registered twice.  text == NULL: messages show the name alone. */
uint32_t diag_source(struct diag *diag, const char *name, const char *text, size_t size);
const char *diag_source_name(const struct diag *diag, uint32_t source);
const char *diag_source_text(const struct diag *diag, uint32_t source, size_t *size);
/* Line and column (both from 1; the column counts bytes) of a span's begin; 0 where unknown.
 * Spans that reach over the end of their source are clamped, here and in messages. */
void diag_position(const struct diag *diag, struct span at, uint32_t *line, uint32_t *column);
/* The span of one line of a file known only by name, as from a line table, from `column` to its
 * end or a // comment; column 0 is the first that is not blank.  Reads the file if it is there, is
 * one that file_read_named reads, and was not read or registered before, else messages show name,
 * line and column alone. */
struct span diag_line(struct diag *diag, const char *file, uint32_t line, uint32_t column);

/* Control characters in a text become blanks and question marks; texts are cut at 2000 bytes. */
void diag_error(struct diag *diag, struct span at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* At no place; always false. */
bool diag_refuse(struct diag *diag, const char *format, ...) __attribute__((format(printf, 2, 3)));
void diag_verror(struct diag *diag, struct span at, const char *format, va_list args)
    __attribute__((format(printf, 3, 0)));
void diag_warning(struct diag *diag, enum warning w, struct span at, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* A warning that has no name: it can be neither switched off nor made an error. */
void diag_plain_warning(struct diag *diag, struct span at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Both belong to the latest error or warning (dropped if that one was suppressed). */
void diag_note(struct diag *diag, struct span at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void diag_fixit(struct diag *diag, struct span at, const char *replacement);
/* Line `line` of a text, from 1, which becomes a source of that name; NO_SPAN of line 0. */
struct span diag_text_line(struct diag *diag, const char *name, const char *text, size_t size,
                           uint32_t line);
/* Notes "did you mean 'x'?" with a fix-it when a candidate is near. */
void diag_suggest(struct diag *diag, struct span at, const char *name,
                  const char *const *candidates, size_t count);
/* Hands the last message to the consumer (a message waits for its notes). */
void diag_flush(struct diag *diag);
/* The message that waits, as it is so far; NULL: none does.  Valid until the next call. */
const struct message *diag_waiting(struct diag *diag);

uint32_t diag_errors(const struct diag *diag);
uint32_t diag_warnings(const struct diag *diag);
/* True after --max-errors errors: the caller should give up.  Messages after that are counted but
 * not shown; a note at the last one says so. */
bool diag_full(const struct diag *diag);
/* Text of the first error, with "name:line:col: " in front when it has a place; NULL if none. */
const char *diag_first(const struct diag *diag);

/* Settings; all have defaults (20 errors at most; 0 = no limit). */
void diag_set_max_errors(struct diag *diag, uint32_t max);
/* A warning with the text and the place of one since this was set is dropped: of several runs each
 * would say it. */
void diag_set_once(struct diag *diag, bool once);
/* Warnings whose place is in that source are dropped: nobody has written it. */
void diag_set_quiet(struct diag *diag, uint32_t source);
/* From here to diag_hush_end nothing is shown, and what is counted is forgotten there: something is
 * only tried.  Not within itself. */
void diag_hush(struct diag *diag);
void diag_hush_end(struct diag *diag);
/* What stands behind -W: "name", "error" (all warnings that are on), "error=name" (also switches it
 * on), "all"; each with "no-" in front for the opposite.  "error=name" and "no-error=name" win over
 * "error" whatever the order.  False if unknown. */
bool diag_set_warning(struct diag *diag, const char *flag);

enum diag_format { DIAG_TEXT, DIAG_JSON };
struct diag_printer {
    FILE *out;
    enum diag_format format;
    bool color;
    const char *prefix; /* tool name, printed before messages without a place */
    const char *erase;  /* printed in front of each, where a line may stand; NULL: nothing */
};
/* The tools' consumer; context is a struct diag_printer.  Text goes through LLVM's SourceMgr, JSON
 * is one object a line: severity, warning, file, line, column, end_line, end_column, text, notes,
 * fixits. */
diag_consumer diag_print;
/* What diag_print would write, appended to s; `how`->out is not looked at. */
struct str;
void diag_format(const struct diag_printer *how, const struct diag *diag,
                 const struct message *message, struct str *str);
/* True when `out` is a terminal and NO_COLOR is unset or empty. */
bool diag_color_wanted(FILE *out);

#endif
