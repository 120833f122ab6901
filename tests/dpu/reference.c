/* SPDX-License-Identifier: MIT
 * In the plainest way, not the fastest. */
#include "tests/dpu/reference.h"

#include <string.h>

uint32_t reference_register(const struct reference_state *s, uint32_t number) {
    const uint32_t constants[8] = {0,     1,         0xffffffffu, 0x80000000u,
                                   s->id, s->id * 2, s->id * 4,   s->id * 8};
    return number < 24 ? s->r[number] : constants[number - 24];
}

static uint32_t bit(uint32_t value, uint32_t n) {
    return n < 32 ? value >> n & 1 : 0;
}
/* Bits one by one: from a place of the value, `fill` where there is none. */
static uint32_t moved(uint32_t value, int by, uint32_t fill) {
    uint32_t out = 0;
    for (int i = 0; i < 32; i++)
        out |= (i - by < 0 || i - by > 31 ? fill : bit(value, (uint32_t)(i - by))) << i;
    return out;
}
static uint32_t turned(uint32_t value, int by) {
    uint32_t out = 0;
    for (int i = 0; i < 32; i++)
        out |= bit(value, (uint32_t)(i - by) & 31) << i;
    return out;
}
/* Bits from the top that are as `like`. */
static uint32_t leading(uint32_t value, uint32_t like) {
    uint32_t n = 0;
    while (n < 32 && bit(value, 31 - n) == like)
        n++;
    return n;
}
static uint32_t ones(uint32_t value) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < 32; i++)
        n += bit(value, i);
    return n;
}
/* "mul_sl_uh": a byte of each source, with or without its sign. */
static int32_t byte_of(uint32_t value, const char *kind) {
    int32_t byte = (int32_t)(kind[1] == 'h' ? value / 256 % 256 : value % 256);
    return kind[0] == 's' && byte >= 128 ? byte - 256 : byte;
}
static uint32_t logic(const char *name, uint32_t x, uint32_t y) {
    /* Truth tables: bits for (0,0), (0,1), (1,0), (1,1). */
    static const struct {
        const char *name, *table;
    } tables[] = {{"and", "0001"}, {"or", "0111"},   {"xor", "0110"},  {"nand", "1110"},
                  {"nor", "1000"}, {"nxor", "1001"}, {"andn", "0100"}, {"orn", "1101"}};
    uint32_t out = 0;
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
        for (uint32_t i = 0; i < 32 && strcmp(name, tables[t].name) == 0; i++)
            out |= (uint32_t)(tables[t].table[2 * bit(x, i) + bit(y, i)] - '0') << i;
    return out;
}

bool reference_result(const char *name, uint32_t x, uint32_t y, uint32_t shift, bool *carry,
                      uint32_t *result) {
    bool in = *carry;
    int by = (int)(y % 32);
    *carry = false;
    if (strcmp(name, "add") == 0 || strcmp(name, "addc") == 0) {
        uint64_t sum = (uint64_t)x + y + (name[3] == 'c' && in);
        *result = (uint32_t)(sum % 0x100000000u);
        *carry = sum > 0xffffffffu;
    } else if (strcmp(name, "sub") == 0 || strcmp(name, "subc") == 0) {
        int64_t rest = (int64_t)x - (int64_t)y - (name[3] == 'c' && in);
        *result = (uint32_t)(rest & 0xffffffff);
        *carry = rest < 0;
    } else if (strcmp(name, "rsub") == 0 || strcmp(name, "rsubc") == 0) {
        int64_t rest = (int64_t)y - (int64_t)x - (name[4] == 'c' && in);
        *result = (uint32_t)(rest & 0xffffffff);
        *carry = rest < 0;
    } else if (strcmp(name, "lsl") == 0)
        *result = moved(x, by, 0);
    else if (strcmp(name, "lsl1") == 0)
        *result = moved(x, by, 1);
    else if (strcmp(name, "lsr") == 0)
        *result = moved(x, -by, 0);
    else if (strcmp(name, "lsr1") == 0)
        *result = moved(x, -by, 1);
    else if (strcmp(name, "asr") == 0)
        *result = moved(x, -by, bit(x, 31));
    else if (strcmp(name, "lslx") == 0)
        *result = by ? moved(x, by - 32, 0) : 0;
    else if (strcmp(name, "lsrx") == 0)
        *result = by ? moved(x, 32 - by, 0) : 0;
    else if (strcmp(name, "rol") == 0)
        *result = turned(x, by);
    else if (strcmp(name, "ror") == 0)
        *result = turned(x, -by);
    else if (strcmp(name, "lsl_add") == 0)
        *result = x + moved(y, (int)shift, 0);
    else if (strcmp(name, "lsl_sub") == 0)
        *result = x - moved(y, (int)shift, 0);
    else if (strcmp(name, "lsr_add") == 0)
        *result = x + moved(y, -(int)shift, 0);
    else if (strcmp(name, "rol_add") == 0)
        *result = x + turned(y, (int)shift);
    else if (strcmp(name, "cao") == 0)
        *result = ones(x);
    else if (strcmp(name, "clz") == 0)
        *result = leading(x, 0);
    else if (strcmp(name, "clo") == 0)
        *result = leading(x, 1);
    else if (strcmp(name, "cls") == 0)
        *result = leading(x, bit(x, 31));
    else if (strcmp(name, "extub") == 0)
        *result = x % 256;
    else if (strcmp(name, "extuh") == 0)
        *result = x % 65536;
    else if (strcmp(name, "extsb") == 0)
        *result = x % 256 + (bit(x, 7) ? 0xffffff00u : 0);
    else if (strcmp(name, "extsh") == 0)
        *result = x % 65536 + (bit(x, 15) ? 0xffff0000u : 0);
    else if (strcmp(name, "cmpb4") == 0) {
        *result = 0;
        for (uint32_t i = 0; i < 4; i++)
            *result |= (x >> 8 * i) % 256 == (y >> 8 * i) % 256 ? 1u << 8 * i : 0;
    } else if (strncmp(name, "mul_", 4) == 0 && name[6] == '_')
        *result = (uint32_t)(byte_of(x, name + 4) * byte_of(y, name + 7));
    else if (strstr("and or xor nand nor nxor andn orn", name))
        *result = logic(name, x, y);
    else
        return false;
    return true;
}

/* What a condition says, by its name. */
struct asked {
    const char *name, *condition;
    bool subtracts;
    uint32_t first, second, source, result;
    bool in, before; /* the carry that it took; Z before it */
};
static bool holds(const struct asked *q) {
    const char *c = q->condition;
    bool negative = q->result >= 0x80000000u, again = q->result == 0 && q->before;
    int64_t whole, plain;
    bool turn = q->name[0] == 'r' && q->subtracts;
    uint32_t x = turn ? q->second : q->first, y = turn ? q->first : q->second;
    if (q->subtracts) {
        whole = (int64_t)(int32_t)x - (int32_t)y - q->in;
        plain = (int64_t)x - y - q->in;
    } else {
        whole = (int64_t)(int32_t)x + (int32_t)y + q->in;
        plain = (int64_t)x + y + q->in;
    }
    bool outside = whole < INT32_MIN || whole > INT32_MAX;
    static const char names[][6] = {"true", "false", "z",    "nz",    "eq",    "neq",  "xz",  "xnz",
                                    "pl",   "mi",    "sz",   "snz",   "spl",   "smi",  "ov",  "nov",
                                    "lts",  "ges",   "les",  "gts",   "ltu",   "geu",  "leu", "gtu",
                                    "xles", "xgts",  "xleu", "xgtu",  "max",   "nmax", "e",   "o",
                                    "se",   "so",    "sh32", "nsh32", "small", "large"};
    const bool values[] = {true,
                           false,
                           q->result == 0,
                           q->result != 0,
                           q->result == 0,
                           q->result != 0,
                           again,
                           !again,
                           !negative,
                           negative,
                           q->source == 0,
                           q->source != 0,
                           q->source < 0x80000000u,
                           q->source >= 0x80000000u,
                           outside,
                           !outside,
                           whole<0, whole >= 0, whole <= 0, whole> 0,
                           plain<0, plain >= 0, plain <= 0, plain> 0,
                           whole < 0 || again,
                           whole >= 0 && !again,
                           plain < 0 || again,
                           plain >= 0 && !again,
                           q->result == 32,
                           q->result != 32,
                           q->result % 2 == 0,
                           q->result % 2 == 1,
                           q->source % 2 == 0,
                           q->source % 2 == 1,
                           q->second / 32 % 2 == 1,
                           q->second / 32 % 2 == 0,
                           q->first / 256 % 256 == 0 && q->second / 256 % 256 == 0,
                           q->first / 256 % 256 != 0 || q->second / 256 % 256 != 0};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(c, names[i]) == 0)
            return values[i];
    if (strcmp(c, "c") == 0) /* of a difference: no borrow */
        return q->subtracts ? plain >= 0 : plain > 0xffffffff;
    if (strcmp(c, "nc") == 0)
        return q->subtracts ? plain < 0 : plain <= 0xffffffff;
    uint32_t n = 0; /* nc5 .. nc14 */
    for (const char *digit = c + 2; *digit; digit++)
        n = n * 10 + (uint32_t)(*digit - '0');
    uint64_t size = UINT64_C(1) << n; /* the carry into bit n */
    return x % size + y % size + q->in < size;
}

bool reference_step(struct reference_state *s, const struct dpu_insn *insn) {
    struct dpu_form f;
    char name[16] = "";
    uint32_t sources[3] = {0}, count = 0, to = 99, shift = 0, target = 0;
    struct asked q = {0};
    bool jumps = false;
    dpu_form_get(insn->form, &f);
    strncat(name, f.mnemonic, strcspn(f.mnemonic, "."));
    q.name = name;
    for (uint32_t i = 0; i < f.count; i++) {
        const struct dpu_operand *o = f.operands[i];
        uint32_t v = (uint32_t)insn->values[i];
        if (o->role == DPU_C)
            to = o->kind == DPU_ZERO ? 99 : v;
        else if (o->role == DPU_A || o->role == DPU_B) {
            sources[count++] = reference_register(s, v);
            if (o->role == DPU_A)
                q.source = reference_register(s, v);
        } else if (o->role == DPU_IMM && count == 2)
            shift = v;
        else if (o->role == DPU_IMM)
            sources[count++] = v;
        else if (o->role == DPU_CC)
            q.condition = dpu_cc_name(o->cc, v);
        else if (o->role == DPU_PC) {
            jumps = true;
            target = v;
        }
    }
    bool carry = s->carry;
    if (!reference_result(name, sources[0], sources[1], shift, &carry, &q.result))
        return false;
    q.subtracts = strstr(name, "sub") && !strstr(name, "lsl");
    q.in = s->carry && name[strlen(name) - 1] == 'c';
    q.before = s->zero;
    q.first = sources[0];
    q.second = sources[1];
    bool yes = q.condition && holds(&q);
    uint32_t written = q.condition && !jumps && strcmp(q.condition, "false") != 0 ? yes : q.result;
    if (to < 24 && f.wide == DPU_PLAIN)
        s->r[to] = written;
    else if (to < 24) {
        s->r[to] = f.wide == DPU_SIGNED && written >= 0x80000000u ? 0xffffffffu : 0;
        s->r[to + 1] = written;
    }
    s->zero = q.result == 0;
    s->carry = carry;
    s->pc = jumps && yes ? target : s->pc + 1;
    return true;
}
