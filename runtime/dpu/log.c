/* SPDX-License-Identifier: MIT
 * What DPUs have printed.
 *
 * The program's `__stdout_buffer` is a ring in MRAM of `__stdout_buffer_size` bytes; in WRAM
 * `__stdout_buffer_state` says where the next message goes, and whether the ring has gone round.  A
 * message is a multiple of 8 bytes: a format, in which each piece of text is "%s", a zero, and then
 * what the format's conversions take, one after another: strings and their zeros, a byte for %c, 8
 * bytes for floating point, 4 for integers and 8 where the format has an l.  %b is the SDK's: 32
 * bits, the lowest first.  What no conversion is takes 4 bytes and is printed as it stands, as the
 * SDK's host does it. */
#include "runtime/dpu/dpus.h"

#include "support/alloc.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct log_reader {
    const char *at, *end;
    bool broken;
};
/* A text and its zero; NULL if there is none. */
static const char *take_text(struct log_reader *r) {
    const char *text = r->at, *zero = memchr(text, 0, (size_t)(r->end - text));
    r->broken |= !zero;
    r->at = zero ? zero + 1 : r->end;
    return zero ? text : NULL;
}
/* A number of so many bytes, with its sign. */
static int64_t take_number(struct log_reader *r, size_t bytes) {
    uint64_t value = 0;
    if ((size_t)(r->end - r->at) < bytes) {
        r->broken = true;
        return 0;
    }
    for (size_t i = 0; i < bytes; i++)
        value |= (uint64_t)(uint8_t)r->at[i] << 8 * i;
    r->at += bytes;
    return bytes == 4 ? (int32_t)value : (int64_t)value;
}
/* "%p" as glibc has it; `one` [n] ends behind flags and width. */
static void print_pointer(char *one, size_t n, uint64_t value, struct str *out) {
    char text[20] = "(nil)";
    if (value)
        snprintf(text, sizeof text, "0x%" PRIx64, value);
    strcpy(one + n, "s");
    str_printf(out, one, text);
}
static void print_bits(uint64_t value, struct str *out) {
    for (unsigned i = 0; i < 32; i++)
        str_char(out, value >> i & 1 ? '1' : '0');
}
/* Prints what that kind of conversion takes; `one` [n] has what stands before the kind. */
static void print_kind(char kind, bool wide, char *one, size_t n, struct log_reader *r,
                       struct str *out) {
    if (kind == 's') {
        const char *text = take_text(r);
        strcpy(one + n, "s");
        if (text)
            str_printf(out, one, text);
    } else if (kind == 'c') {
        strcpy(one + n, "c");
        str_printf(out, one, (int)take_number(r, 1));
    } else if (strchr("feEgG", kind)) {
        int64_t bits = take_number(r, 8);
        double value;
        memcpy(&value, &bits, sizeof value);
        one[n] = kind;
        str_printf(out, one, value);
    } else {
        int64_t value = take_number(r, wide ? 8 : 4);
        if (!wide && kind != 'd' && kind != 'i')
            value &= UINT32_MAX;
        memcpy(one + n, "ll", 2);
        one[n + 2] = kind;
        if (strchr("diuxXo", kind))
            str_printf(out, one, (long long)value);
        else if (kind == 'p')
            print_pointer(one, n, (uint64_t)value, out);
        else if (kind == 'b')
            print_bits((uint64_t)value, out);
        else
            str_printf(out, "%.*s%c", (int)n, one, kind);
    }
}
/* Prints by one conversion of the format, "%-5u", which begins there; where it ends. */
static const char *convert(const char *format, struct log_reader *r, struct str *out) {
    char one[32] = "%";
    size_t n = 1;
    bool wide = false;
    /* Flags, a width and a precision of at most four digits each: no message asks for more. */
    for (format++; *format && strchr("-+ #0", *format) && n < 8; format++)
        one[n++] = *format;
    for (unsigned digits = 0; digits < 4 && *format >= '0' && *format <= '9'; digits++)
        one[n++] = *format++;
    if (*format == '.') {
        one[n++] = *format++;
        for (unsigned digits = 0; digits < 4 && *format >= '0' && *format <= '9'; digits++)
            one[n++] = *format++;
    }
    for (; *format == 'l'; format++)
        wide = true;
    if (!*format) /* a sign at the end of a format, which takes nothing */
        return format;
    if (isalpha((unsigned char)*format))
        print_kind(*format, wide, one, n, r, out);
    else
        r->broken = true;
    return r->broken ? format : format + 1;
}
/* Those from byte `from` on.  `tried` [size / 8]: from a message that begins there the end was not
 * reached; added to.  NULL: nothing was tried. */
static bool read_messages(const char *bytes, size_t size, size_t from, bool *tried,
                          struct str *out) {
    struct log_reader r = {bytes + from, bytes + size, false};
    while (r.at < r.end && !r.broken) {
        if (tried && tried[(size_t)(r.at - bytes) / 8])
            return false;
        if (tried)
            tried[(size_t)(r.at - bytes) / 8] = true;
        const char *begin = r.at, *format = take_text(&r);
        while (format && *format && !r.broken)
            format = *format == '%' ? convert(format, &r, out) : (r.broken = true, format);
        r.at = begin + ((size_t)(r.at - begin) + 7) / 8 * 8;
    }
    return !r.broken && r.at <= r.end;
}

/* ---- the ring ---- */

struct log_ring {
    uint32_t begin, size; /* in MRAM, as its symbols have it */
    uint32_t at, old;     /* bytes of the newest part, from the ring's begin, and of the oldest */
    bool round;           /* something was overwritten */
};
static uint32_t number_of(const uint8_t raw[4]) {
    return raw[0] | (uint32_t)raw[1] << 8 | (uint32_t)raw[2] << 16 | (uint32_t)raw[3] << 24;
}
static dpu_error_t fetch(struct dpu_set_t set, uint32_t at, void *to, uint32_t bytes,
                         mpu_dpu_say *say) {
    const struct device_piece one = {set.first, to};
    return dpus_move(set.all, set.all->each[set.first].program, DPUS_FROM_ONE, at, bytes, &one, 1,
                     say);
}
static dpu_error_t find_ring(struct dpu_set_t set, const struct dpu_program *p,
                             struct log_ring *out, mpu_dpu_say *say) {
    const struct dpu_symbol *buffer = dpu_program_symbol(p, "__stdout_buffer");
    const struct dpu_symbol *length = dpu_program_symbol(p, "__stdout_buffer_size");
    const struct dpu_symbol *state = dpu_program_symbol(p, "__stdout_buffer_state");
    uint8_t raw[12] = {0};
    if (!buffer || !length || !state)
        return dpus_say(say, DPU_ERR_LOG_CONTEXT_MISSING,
                        "the program prints nothing: it has no symbol '__stdout_buffer'");
    dpu_error_t error = DPU_ERR_LOG_FORMAT;
    if (length->space == DPU_IN_WRAM && state->space == DPU_IN_WRAM &&
        buffer->space == DPU_IN_MRAM) {
        error = fetch(set, length->value, raw, 4, NULL);
        error = error ? error : fetch(set, state->value, raw + 4, 8, NULL);
        *out = (struct log_ring){.begin = buffer->value,
                                 .size = number_of(raw),
                                 .at = number_of(raw + 4),
                                 .round = raw[8] != 0};
    }
    if (error || out->size > DPU_MRAM_BYTES || out->at > out->size || out->size % 8 ||
        out->at % 8 || out->begin % 8 || out->begin - DPU_AT_MRAM > DPU_MRAM_BYTES - out->size)
        return dpus_say(say, DPU_ERR_LOG_FORMAT, "the log's state is not that of a log");
    out->old = out->round ? out->size - out->at : 0;
    return DPU_OK;
}

/* Of a ring that went round the oldest message is cut as a rule: how many bytes have to be left out
 * so that messages go from there to the end.  A message is no longer than WRAM. */
static bool read_round(const char *bytes, size_t size, struct str *out, size_t *cut) {
    bool *tried = xcalloc(size / 8 + 1, sizeof *tried), fine = false;
    for (*cut = 0; *cut <= size && *cut <= DPU_WRAM_BYTES; *cut += 8) {
        out->len = 0;
        fine = read_messages(bytes, size, *cut, tried, out);
        if (fine)
            break;
    }
    free(tried);
    return fine;
}

/* The text, which is freed; characters 0, which end no log, are left out. */
static char *without_zeros(struct str *s) {
    char *text = xcalloc(s->len + 1, 1);
    size_t n = 0;
    for (size_t i = 0; i < s->len; i++)
        if (s->text[i])
            text[n++] = s->text[i];
    str_free(s);
    return text;
}

dpu_error_t mpu_dpu_log(struct dpu_set_t set, char **text, mpu_dpu_say *say) {
    dpu_error_t error = DPU_OK;
    struct dpu_program_t *program = dpus_program(set, &error, say);
    struct log_ring ring = {0};
    struct str out = {0};
    size_t cut = 0;
    if (!program)
        return error;
    if (set.count != 1)
        return dpus_say(say, DPU_ERR_INVALID_DPU_SET,
                        "the log of one DPU is read, and the set has %" PRIu32, set.count);
    error = find_ring(set, program->program, &ring, say);
    if (error)
        return error;
    /* From the oldest byte on. */
    char *bytes = xcalloc((size_t)ring.size + 1, 1);
    error = fetch(set, ring.begin + ring.at, bytes, ring.old, say);
    if (!error)
        error = fetch(set, ring.begin, bytes + ring.old, ring.at, say);
    const size_t size = (size_t)ring.old + ring.at;
    if (!error && !(ring.round ? read_round(bytes, size, &out, &cut)
                               : read_messages(bytes, size, 0, NULL, &out)))
        error = dpus_say(say, DPU_ERR_LOG_FORMAT, "the log of DPU %" PRIu32 " cannot be read",
                         set.first);
    else if (!error && ring.round)
        dpus_say(say, DPU_OK,
                 "the log of DPU %" PRIu32 " went round its %" PRIu32
                 " bytes: what was printed before is lost, and %zu bytes of a message that is cut",
                 set.first, ring.size, cut);
    *text = without_zeros(&out);
    free(bytes);
    return error;
}
