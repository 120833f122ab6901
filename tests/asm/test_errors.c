/* SPDX-License-Identifier: MIT
 * Every mistake gets one message with its place. */
#include "tests/asm/assembling.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

/* Messages as "line:col: error: text" lines, notes with two blanks before. */
static void collect(void *context, const struct diag *d, const struct message *m) {
    struct str *out = context;
    uint32_t line, column;
    diag_position(d, m->at, &line, &column);
    str_printf(out, "%u:%u: %s: %s\n", (unsigned)line, (unsigned)column,
               m->severity == SEVERITY_ERROR ? "error" : "warning", m->text);
    for (size_t i = 0; i < m->note_count; i++) {
        if (m->notes[i].at.source) {
            diag_position(d, m->notes[i].at, &line, &column);
            str_printf(out, "  %u:%u:", (unsigned)line, (unsigned)column);
        }
        str_printf(out, "  note: %s\n", m->notes[i].text);
    }
}

/* The messages of a text; the object must be there exactly when there is no error. */
static char *messages_of(const char *text) {
    struct str out = {0};
    struct diag *d = diag_new(collect, &out);
    struct object *o = assemble_text(text, d);
    diag_flush(d);
    assert_true((o != NULL) == (diag_errors(d) == 0));
    object_free(o);
    diag_free(d);
    str_append(&out, "");
    return out.text;
}

struct mistake {
    const char *text;
    const char *wanted; /* the first line of the messages begins so */
    const char *note;   /* is among them, or NULL */
};

static unsigned count_errors(const char *s) {
    unsigned n = 0;
    for (; (s = strstr(s, ": error: ")); s++)
        n++;
    return n;
}

static void expect_mistakes(const struct mistake *list, size_t count) {
    for (size_t i = 0; i < count; i++) {
        char *got = messages_of(list[i].text);
        if (!got || strncmp(got, list[i].wanted, strlen(list[i].wanted)) != 0)
            fail_msg("%s\ngives: %s\nnot: %s", list[i].text, got ? got : "nothing", list[i].wanted);
        if (list[i].note && !strstr(got, list[i].note))
            fail_msg("%s\ngives: %s\nwithout: %s", list[i].text, got, list[i].note);
        if (strstr(list[i].wanted, "error") && count_errors(got) != 1)
            fail_msg("%s\ngives more than one error: %s", list[i].text, got);
        free(got);
    }
}
#define EXPECT(list) expect_mistakes(list, sizeof(list) / sizeof *(list))

static void instructions(void **state) {
    (void)state;
    static const struct mistake list[] = {
        {"  ADDD r1 r2 r3\n", "1:3: error: unknown instruction or macro 'ADDD'",
         "did you mean 'ADD'?"},
        {"JUMPCOND 0\n", "1:1: error: unknown instruction", "did you mean 'JUMP_COND'?"},
        {"ADD r1 r64 r3\n", "1:8: error: r64 is out of range: there are r0 to r63", NULL},
        {"COMPUTE RFH4096 VRF0\n", "1:9: error: RFH4096 is out of range", NULL},
        {"COMPUTE RFH0 VRF64\n", "1:14: error: VRF64 is out of range", NULL},
        {"SEND MPU4194304\nSEND_DONE\n", "1:6: error: MPU4194304 is out of range", NULL},
        {"ADD.0 r1 r2 r3\n", "1:4: error: a width is a number from 1 to 64", NULL},
        {"ADD.65 r1 r2 r3\n", "1:4: error: a width is a number from 1 to 64", NULL},
        {"ADD.x r1 r2 r3\n", "1:4: error: a width is a number from 1 to 64", NULL},
        {"NOP.8\n", "1:4: error: NOP has no width", NULL},
        {"ADD r1 r2\n", "1:1: error: ADD has 3 operands, not 2", "it is written: ADD rs rt rd"},
        {"ADD r1 r2 r3 r4\n", "1:14: error: ADD has 3 operands, not 4", NULL},
        {"ADD r1 5 r3\n", "1:8: error: operand 2 of ADD must be a register, not a number", NULL},
        {"ADD r1 q r3\n", "1:8: error: 'q' is neither a register nor a variable", NULL},
        {".var width: u8 r1\nADD r1 widht r3\n", "2:8: error: 'widht' is neither",
         "did you mean 'width'?"},
        {"SETMASK 3\n", "1:9: error: operand 1 of SETMASK must be a register, not a number",
         "SETMASK rs; or: SETMASK cond"},
        {"LI r1 5\n", "1:4: error: operand 1 of LI must be a number, not a register",
         "it is written: LI number rd"},
        {"LI 2048 r1\n", "1:4: error: the number is 2048, but must be in -2048..2047",
         "LIK1 to LIK5"},
        {"LI.8 256 r1\n", "1:6: error: the number is 256, but must be in -128..255", NULL},
        {"LI.8 -129 r1\n", "1:6: error: the number is -129, but must be in -128..255", NULL},
        {"LIK1 4096 r1\n", "1:6: error: the number is 4096, but must be in -2048..4095", NULL},
        {"LIK2.24 1 r1\n", "1:9: error: LIK2 sets bits 24 and up, which width 24", NULL},
        {".size n\nLIK2.24 size(n) r1\n", "2:9: error: LIK2 sets bits 24 and up", NULL},
        {"SHLI r1 64 r2\n", "1:9: error: a shift count is 64, but must be in 0..63", NULL},
        {"ZEXT.8 r1 9 r2\n", "1:11: error: the source's width is 9, but must be in 1..8", NULL},
        {"QRDIV r1 r2 r2\n", "1:1: error: QRDIV writes rt and rd", NULL},
        {"REPEAT 4194304\nREPEAT_END", "1:8: error: the number is 4194304", NULL},
        {"MOVE RFH0 RFH1\nMEMCPY.24 r0 VRF0 r0 VRF0\n",
         "2:7: error: MEMCPY has the widths 8, 16, 32 and 64, not 24", NULL},
        {".width 5\nMOVE RFH0 RFH1\nMEMCPY r0 VRF0 r0 VRF0\n",
         "3:1: error: MEMCPY needs a suffix .8, .16, .32 or .64, for .width is 5", NULL},
        {"MOVE RFH0 RFH1\nMEMCPY r0 r1 VRF0 VRF1 5\n", "2:24: error: MEMCPY has 4 operands", NULL},
        {"MOVE RFH0 RFH1\nMEMCPY VRF0 r1 VRF1 5\n",
         "2:21: error: MEMCPY takes two VRFs and two registers", NULL},
        {"LUT r1 r2 r3\n", "1:8: error: operand 2 of LUT must be a table, not a register",
         "it is written: LUT rs table rd"},
        {"LUT r1 sbox r3\n", "1:8: error: there is no table 'sbox'", NULL},
        {".lut sbox k=8 width=8\nLUT r1 sbix r3\n", "2:8: error: there is no table 'sbix'",
         "did you mean 'sbox'?"},
        {"LUT r1 0 r3\n", "1:8: error: LUT takes the name of a table that .lut declares before",
         NULL},
        {".lut t k=1 width=1\nLUT.65 r1 t r3\n", "2:4: error: a width is a number from 1 to 64",
         NULL},
        {"FADD.24 r1 r2 r3\n", "1:1: error: FADD has width 16, 32 or 64, not 24", NULL},
        {".width 8\nFSQRT r1 r2\n", "2:1: error: FSQRT has width 16, 32 or 64, not 8", NULL},
        {"BFADD.32 r1 r2 r3\n", "1:1: error: BFADD has width 16, not 32", NULL},
        {"CVT.32 r1 from_f33 r2\n", "1:11: error: 'from_f33' is no conversion", NULL},
        {"CVT.32 r1 6 r2\n", "1:1: error: CVT cannot be encoded", NULL},
        {"CVT.32 r1 32 r2\n", "1:11: error: a conversion is 32", NULL},
        {"CVT.32 r1 bf16_from_int r2\n", "1:1: error: CVT cannot be encoded", NULL},
        {"LANE 0\n", "1:6: error: LANE takes identity, shift k, rotate k", NULL},
        {"MOVE RFH0 RFH1\nLANE gather 0\n", "2:13: error: k is 0, but must be in 1..524287", NULL},
        {"LANE reverse\n", "1:1: error: LANE stands in transfer ensembles only", NULL},
        {"MOVE RFH0 RFH1\nLANE reverse 1\n", "2:14: error: the statement should end here", NULL},
        {"GMOVE up\n", "1:7: error: there is no move 'up'", NULL},
        {"GMOVE.8 up\n", "1:6: error: GMOVE has no width", NULL},
        {".group g[4]\n.move up u8 @g r1[i] = @g r2[i]\nCOMPUTEG @g\nGMOVE up\n",
         "4:1: error: GMOVE stands at top level", NULL},
        {"ADD r1, r2, r3,\n", "1:15: error: an operand is missing behind this comma", NULL},
        {"MARK 0\n", "1:6: error: there is no record 0 for MARK", NULL},
        {"PRINT \"x\"\n", "1:10: error: PRINT takes a string and a register", NULL},
        {"MARK \"x\" r1\n", "1:10: error: the line should end here: MARK takes a string alone",
         NULL},
        {"MARK \"x\" ADD\n", "1:10: error: the line should end here: MARK takes a string alone",
         NULL},
        {"NOP ?\n", "1:5: error: expected a number or a name, not '?'", NULL},
        {"NOP `\n", "1:5: error: the character '`' has no meaning here", NULL},
        {"NOP \x01\n", "1:5: error: the byte 0x01 has no meaning here", NULL},
        {"gr\xc3\xb6\xc3\x9f"
         "e: NOP\n",
         "1:1: error: this is not a name: names are made of the ASCII", NULL},
        {"\xc3\xb6r: NOP\n", "1:1: error: this is not a name: names are made of the ASCII", NULL},
        {"PRINT \"x\" r1:u65\n", "1:14: error: expected a type", NULL},
        {"COMPUTEG @g\n", "1:11: error: there is no group 'g'", NULL},
        {".group grid[4]\nCOMPUTEG @gird\n", "2:11: error: there is no group 'gird'",
         "did you mean 'grid'?"},
        {"COMPUTEG @0\n", "1:11: error: there is no group", NULL},
        {"5 r1 r2\n", "1:1: error: a statement begins with", NULL},
        {"NOP HALT\n", "1:5: error: NOP has 0 operands", NULL},
    };
    EXPECT(list);
}

static void labels(void **state) {
    (void)state;
    static const struct mistake list[] = {
        {"JUMP mian\nmain: NOP\n", "1:6: error: label 'mian' is not defined",
         "did you mean 'main'?"},
        {"a: NOP\n\na: NOP\n", "3:1: error: label 'a' is defined twice",
         "it was first defined here"},
        {"11: NOP\nJUMP 12\n", "2:6: error: label '12' is not defined", NULL},
        {"NOP\nJUMP 3\n", "2:6: error: the jump goes to instruction 3, but there are only 2", NULL},
        {"x: NOP\nJUMP x + 9\n", "2:6: error: the jump to 'x' leads out of the text", NULL},
        {"JUMP 0 - 1\n", "1:6: error: the jump leads out of the text", NULL},
        {"JUMP 99999999 + 0\n", "1:6: error: a text has at most 2^24 instructions", NULL},
        {".size n\nJUMP size(n)\n", "2:6: error: a jump goes to a label", NULL},
        {".: NOP\n", "1:1: error: '.' is the current index", NULL},
        {".equ a 1\na: NOP\n", "2:1: error: 'a' is a constant", NULL},
        {"a: NOP\n.equ a 1\n", "2:6: error: 'a' is a label", NULL},
        {"a: NOP\n.x: NOP\nb: JUMP .x\n", "3:9: error: label 'b.x' is not defined",
         "did you mean 'a.x'?"},
        {".mpu 0 mian\nmain: NOP\n", "1:8: error: label 'mian' is not defined", NULL},
    };
    EXPECT(list);
}

static void directives(void **state) {
    (void)state;
    static const struct mistake list[] = {
        {".widht 32\n", "1:1: error: unknown directive '.widht'", "did you mean '.width'?"},
        {".width 65\n", "1:8: error: the width is 65, but must be in 1..64", NULL},
        {".width 8 9\n", "1:10: error: the statement should end here", NULL},
        {".size n = 0\n", "1:11: error: the default is 0, but must be in 1..1099511627776", NULL},
        {".size n\n.size n\n", "2:7: error: size 'n' is declared twice", NULL},
        {".group g\n", "1:9: error: expected '['", NULL},
        {".group g[0]\n", "1:10: error: an extent is a number in 1..2^40", NULL},
        {".size count\n.group g[cuont]\n", "2:10: error: an extent is", "did you mean 'count'?"},
        {".group g[1,2,3,4]\n", "1:16: error: a group has at most 3 dimensions", NULL},
        {".group g[1 << 39, 4]\n", "1:9: error: a group has at most 2^40 elements", NULL},
        {".group g[4] like h\n", "1:18: error: there is no group 'h'", NULL},
        {".group g[4] at RFH1\n", "1:16: error: a place is written RFH1.VRF2", NULL},
        {".group g[4] at RFH1.VRF64\n", "1:16: error: a place is written RFH1.VRF2", NULL},
        {".group g[4]\n.group g[4]\n", "2:8: error: group 'g' is declared twice", NULL},
        {".var x: q8 r1\n", "1:9: error: expected a type: bool, u1 to u64, i2 to i64", NULL},
        {".var x: u8[65] r1\n", "1:12: error: the number of registers is 65", NULL},
        {".var x: u8[4] r61\n", "1:15: error: 4 registers from r61 on go beyond r63", NULL},
        {".var x: u8 r64\n", "1:12: error: expected a register, r0 to r63", NULL},
        {".var out consumed x: u8 r1\n", "1:10: error: only an input is consumed", NULL},
        {".var consumed x: u8 r1\n", "1:6: error: only an input is consumed", NULL},
        {".var x: u8 r1\n.var x: u8 r2\n", "2:6: error: variable 'x' is declared twice", NULL},
        {".var x: u8 r1\n.data x 256\n", "2:9: error: a value of type u8 is 256", NULL},
        {".var x: i8 r1\n.data x -129\n", "2:9: error: a value of type i8 is -129", NULL},
        {".var x: bool r1\n.data x 2\n", "2:9: error: a value of type bool is 2", NULL},
        {".data x 1\n", "1:7: error: there is no variable 'x'", NULL},
        {".var x: u8 r1\n.data x 1, 2\n", "2:7: error: variable 'x' has 2 values of .data but 1",
         NULL},
        {".var x: u8 r1\n.data x dup(1 << 25, 0)\n", "2:13: error: the count is 33554432", NULL},
        {".mpu 1\n.mpu 0\n", "2:6: error: .mpu lines name MPUs in ascending order", NULL},
        {".mpu 4..3\n", "1:9: error: the last MPU is 3, but must be in 4..", NULL},
        {".geometry vrfs=65\n", "1:16: error: vrfs is 65, but must be in 1..64", NULL},
        {".geometry rows=5\n", "1:11: error: expected lanes=, vrfs=, rfhs= or grid=", NULL},
        {".lut x\n", "1:6: error: the first .lut of a table says how large it is: .lut x k=8",
         NULL},
        {".lut x k=8\n", "1:6: error: the first .lut of a table says how large it is", NULL},
        {".lut x k=0 width=8\n",
         "1:10: error: k, the bits of the index, is 0, but must be in 1..16", NULL},
        {".lut x k=17 width=8\n", "1:10: error: k, the bits of the index, is 17", NULL},
        {".lut x k=8 width=0\n",
         "1:18: error: the width of the elements is 0, but must be in 1..64", NULL},
        {".lut x k=8 width=65\n", "1:18: error: the width of the elements is 65", NULL},
        {".lut x k=2 width=4 = 1, 2, 3, 4, 5\n",
         "1:34: error: table 'x' has more than 2^2 elements", NULL},
        {".lut x k=2 width=4 = 1, dup(4, 0)\n", "1:25: error: table 'x' has more than 2^2 elements",
         NULL},
        {".lut x k=2 width=4 = 1, 2\n.lut x = 3, 4, 5\n",
         "2:16: error: table 'x' has more than 2^2 elements", NULL},
        {".lut x k=2 width=4 = 1, 16\n", "1:25: error: the element is 16, but must be in -8..15",
         NULL},
        {".lut x k=2 width=4 = -9\n", "1:22: error: the element is -9, but must be in -8..15",
         NULL},
        {".lut x k=2 width=64 = 1 << 64\n", "1:25: error: this leaves the range", NULL},
        {".lut x k=2 width=4 = y\n", "1:22: error: 'y' is not a constant that is known here", NULL},
        {".lut x k=2 width=4 = size(y)\n", "1:27: error: there is no size 'y'", NULL},
        {".lut x k=2 width=4\n.lut x k=2 width=4\n", "2:6: error: table 'x' is declared already",
         NULL},
        {".lut x k=2 width=4 = 1,\n", "1:24: error: expected a number or a name", NULL},
        {".lut 3 k=2 width=4\n", "1:6: error: expected the name of a table", NULL},
        {".recipe x\n", "1:9: error: expected the name of a recipe file in quotes", NULL},
        {".error \"stop here\"\n", "1:1: error: stop here", NULL},
        {".include \"no/such/file.s\"\n",
         "1:10: error: cannot read 'no/such/file.s': No such file or directory", NULL},
        {".include file\n", "1:10: error: expected the name of a file in quotes", NULL},
        {".endm\n", "1:1: error: .endm has no beginning", NULL},
        {".loc 3\n", "1:1: error: .loc needs a .file before it", NULL},
        {".endsub\n", "1:1: error: .endsub without .sub", NULL},
        {".sub a\nNOP\n", "1:1: error: subroutine 'a' is not closed", "'.endsub' is missing"},
        {".sub a\n.sub b\n.endsub\n.endsub\n", "2:1: error: a subroutine cannot begin inside of",
         "'a' began here"},
        {".mark \"\\q\"\n", "1:8: error: strings know", NULL},
        {".mark \"open\n", "1:7: error: this string is not closed on its line", NULL},
        {"NOP /* open\n", "1:5: error: this comment is not closed", NULL},
        {"NOP ?\n", "1:5: error: expected a number or a name", NULL},
        {"\xc3\xa4 NOP\n", "1:1: error: this is not a name: names are made of the ASCII", NULL},
    };
    EXPECT(list);
}

static void expressions(void **state) {
    (void)state;
    static const struct mistake list[] = {
        {".width 1 / 0\n", "1:10: error: this divides by zero", NULL},
        {".width 1 << 64\n", "1:10: error: this leaves the range", NULL},
        {".width 1 << -1\n", "1:10: error: this shifts by a negative number", NULL},
        {".width 0xFFFFFFFFFFFFFFFF * 2\n", "1:27: error: this leaves the range", NULL},
        {".width 0xFFFFFFFFFFFFFFFF + 1\n", "1:27: error: this leaves the range", NULL},
        {".width 18446744073709551616\n", "1:8: error: this is not a number of up to 64 bits",
         NULL},
        {".width 12ab\n", "1:8: error: this is not a number", NULL},
        {".width (8\n", "1:10: error: expected ')'", "to match this '('"},
        {".width 8 +\n", "1:11: error: expected a number or a name", NULL},
        {".equ WIDE 8\n.width WIED\n", "2:8: error: 'WIED' is not a constant that is known here",
         "did you mean 'WIDE'?"},
        {".size n\n.width size(n)\n", "2:8: error: a size is a link-time value", NULL},
        {".size n\nADDI size(n) r1\n", "2:6: error: a size is a link-time value", NULL},
        {".size n\nLI size(n) % 2 r1\n",
         "2:12: error: sizes are not known yet: of them the linker takes + - * / min and max",
         NULL},
        {".size n\n.size m = n / (2 - 2)\n", "2:13: error: this divides by zero", NULL},
        {".size n\n.size m = n * 1099511627777\n", "2:13: error: numbers that sizes meet", NULL},
        {".size n\n.size m <= 5 = n / 2\n", "2:16: error: a derived size has the bound", NULL},
        {".size n\n.size m = n / k\n", "2:15: error: 'k' is not a size and not a constant", NULL},
        {".size rows\n.size m = row / 2\n", "2:11: error: 'row' is not a size and not",
         "did you mean 'rows'?"},
        {".equ LIMIT 8\n.if LIMTI > 3\n.endif\n.if LIMTI < 3\n.endif\n",
         "2:5: error: 'LIMTI' is not a constant that is known here", "did you mean 'LIMIT'?"},
        {".equ LIMIT 8\n.if 3 * LMIT\n.endif\n", "2:9: error: 'LMIT' is not a constant",
         "did you mean 'LIMIT'?"},
        {".equ LIMIT 8\n.equ A, LIMITT * 2\nLI A r1\n.if A + 1\n.endif\nLI -A r1\n.equ B = A\n"
         "LI B ? 1 : 2 r1\nGOTO A\nADDI A + 1 r1\n.width A\n.size n <= A\n.rept A\n.endr\n",
         "2:9: error: 'LIMITT' is not a constant that is known here", "did you mean 'LIMIT'?"},
        {".equ A, 1 / 0\nLI A r1\n.if A > 2\n.endif\nLI A * 2 r1\n.set A, A + 1\nLI A r1\n",
         "1:11: error: this divides by zero", NULL},
        {"LI 1 && nope r1\n", "1:9: error: 'nope' is not a constant that is known here", NULL},
        {"LI 1 ? nope : 2 r1\n", "1:8: error: 'nope' is not a constant that is known here", NULL},
        {"LI nope ? 1 : 2 r1\n", "1:4: error: 'nope' is not a constant that is known here", NULL},
        {"LI 0 && ( r1\n", "1:13: error: expected ')'", NULL},
        {"LI 1 || * r1\n", "1:9: error: expected a number or a name, not '*'", NULL},
        {".size n\n.size m = min(n)\n", "2:16: error: expected ',': min and max take two", NULL},
        {".size n\n.size m = ~n\n", "2:11: error: sizes and link-time values are", NULL},
        {".size n\nLI size(4) r1\n", "2:9: error: size(...) takes the name of a size, or", NULL},
        {"LI size(m) r1\n", "1:9: error: there is no size 'm'", NULL},
        {".width 1 ? 8\n", "1:13: error: expected ':' and the other value", NULL},
        {".width 'ab'\n", "1:8: error: a character is written as 'x'", NULL},
    };
    EXPECT(list);
}

/* docs/limits.md: 1,000 levels, and one more; operators in a row are no levels. */
static void depth(void **state) {
    (void)state;
    static const struct {
        const char *before, *open, *middle, *close, *after;
        bool levels;
    } forms[] = {{".equ A, ", "(", "1", ")", "\n", true},
                 {".equ A, ", "-", "1", "", "\n", true},
                 {".equ A, ", "max(1, ", "1", ")", "\n", true},
                 {".equ A, ", "1 + (", "1", ")", "\n", true},
                 {".equ A, ", "1 + ", "1", "", "\n", false},
                 {".size n\n.size m = ", "(", "n", ")", "\n", true}};
    for (size_t f = 0; f < sizeof forms / sizeof *forms; f++)
        for (unsigned over = 0; over < 2; over++) {
            struct str s = {0};
            str_append(&s, forms[f].before);
            for (unsigned i = 0; i < 1000 + over; i++)
                str_append(&s, forms[f].open);
            str_append(&s, forms[f].middle);
            for (unsigned i = 0; i < 1000 + over; i++)
                str_append(&s, forms[f].close);
            str_append(&s, forms[f].after);
            char *got = messages_of(str_text(&s));
            bool refused = strstr(got, "the expression is nested more than 1000 levels deep");
            if (refused != (over && forms[f].levels) || (!refused && strstr(got, "error")))
                fail_msg("%u times %s: %s", 1000 + over, forms[f].open, got);
            free(got);
            str_free(&s);
        }
}

static void link_time_values(void **state) {
    (void)state;
    static const struct mistake list[] = {
        {".value k u8\n", "1:10: error: expected ':'", NULL},
        {".value k: u65\n", "1:11: error: expected a type", NULL},
        {".value k: u8[0]\n", "1:14: error: the extent is 0, but must be in 1..65536", NULL},
        {".value k: u8[2, 2, 2]\n", "1:20: error: a link-time value has at most 2 dim", NULL},
        {".value k: u8[256, 257]\n", "1:11: error: value 'k' has more than 65536 elem", NULL},
        {".value k: u8[3] = 1, 2\n", "1:19: error: 'k' has 3 elements, and 2 are given", NULL},
        {".value k: u8 = dup(2, 1)\n", "1:16: error: 'k' has 1 element, and 2 are given", NULL},
        {".value k: u8 = 256\n", "1:16: error: a value of type u8 is 256, but must be", NULL},
        {".value k: u8\n.value k: u8\n", "2:8: error: value 'k' is declared twice", NULL},
        {".var k: u8 r1\n.value k: u8\n", "2:8: error: variable 'k' is declared with", NULL},
        {".value k: u8\n.var k: u8 r1\n", "2:6: error: value 'k' is declared with", NULL},
        {".value kernel: u8\nLI value(krenel) r1\n",
         "2:10: error: there is no link-time value 'krenel'", "did you mean 'kernel'?"},
        {".value k: u8[3]\nLI value(k[3]) r1\n", "2:12: error: the index is 3, but must be", NULL},
        {".value k: u8[3]\nLI value(k) r1\n", "2:10: error: 'k' is written with 1 index", NULL},
        {".value k: u8\nLI value(k[0]) r1\n", "2:10: error: 'k' is written with 0 indices", NULL},
        {".value k: u8[3, 2]\nLI value(k[1]) r1\n", "2:10: error: 'k' is written with 2", NULL},
        {".value k: u8\nLI value(k) + 1 r1\n", "2:13: error: a link-time value stands", NULL},
        {".value k: u8\nLI -value(k) r1\n", "2:4: error: sizes and link-time", NULL},
        {".value k: u8\nREPEAT value(k)\nREPEAT_END\n",
         "2:8: error: only LI, LIK1 to LIK5 and .lut", NULL},
        {".value k: u8\n.width value(k)\n", "2:8: error: only LI, LIK1 to LIK5 and .lut", NULL},
        {".value k: u8\n.size n = value(k)\n", "2:11: error: only LI, LIK1 to LIK5 and .lut", NULL},
        {".value k: u8\n.group g[value(k)]\n", "2:10: error: an extent is a number", NULL},
        {".value k: u8\nJUMP value(k)\n", "2:6: error: a jump goes to a label", NULL},
        {".value k: u8\nLIK1.12 value(k) r1\n", "2:9: error: LIK1 sets bits 12 and up", NULL},
    };
    EXPECT(list);
}

static void macros_and_conditions(void **state) {
    (void)state;
    static const struct mistake list[] = {
        {".macro f a\nNOP\n", "1:1: error: '.macro' is not closed", "'.endm' is missing"},
        {".rept 3\nNOP\n", "1:1: error: '.rept' is not closed", "'.endr' is missing"},
        {".if 1\nNOP\n", "1:1: error: this condition is not closed", "'.endif' is missing"},
        {".else\n", "1:1: error: .else without .if", NULL},
        {".endif\n", "1:1: error: .endif without .if", NULL},
        {".if 1\n.else\n.else\n.endif\n", "3:1: error: .else after .else",
         "the condition began here"},
        {".if nope\n.endif\n", "1:5: error: 'nope' is not a constant", NULL},
        {".macro f a\nNOP\n.endm\nf\n", "4:1: error: parameter 'a' of macro 'f' is missing",
         "it is defined here"},
        {".macro f a\nNOP\n.endm\nf 1, 2\n", "4:1: error: macro 'f' has 1 parameter, not 2", NULL},
        {".macro f a\nADD \\b r1 r2\n.endm\nf 1\n",
         "1:5: error: '\\' stands before a parameter of the macro around it", "used here"},
        {".macro f\nf\n.endm\nf\n", "1:1: error: 'f' is nested more than 128 deep", NULL},
        {".macro f\n.if 1\n.endm\nf\n", "4:1: error: this condition is not closed", NULL},
        {".macro f n\nNOPP\n.endm\nf 1\n", "1:1: error: unknown instruction or macro 'NOPP'",
         "in what f makes, used here"},
        {".rept 16777216\nNOP NOP NOP NOP NOP\n.endr\n", "1:1: error: '.rept' makes the program",
         NULL},
        {".macro ADD a\n.endm\n", "1:8: warning: the ISA has an instruction called 'ADD' too",
         "the name means this macro; the ISA's is 'ISA_ADD'"},
        {".macro f\n.endm\n.macro f\n.endm\n", "3:8: warning: macro 'f' is defined again",
         "first defined here"},
        {".equ a 1\n.equ a 2\n", "2:6: warning: constant 'a' is defined again", NULL},
    };
    EXPECT(list);
}

static void structure(void **state) {
    (void)state;
    static const struct mistake list[] = {
        {"MEMCPY r0 VRF0 r0 VRF0\n", "1:1: error: MEMCPY stands in transfer ensembles only", NULL},
        {"COMPUTE RFH0 VRF0\nMEMCPY r0 VRF0 r0 VRF0\nCOMPUTE_DONE\n",
         "2:1: error: MEMCPY stands in transfer ensembles only", NULL},
        {"SEND MPU1\nCOMPUTE RFH0 VRF0\nCOMPUTE_DONE\nSEND_DONE\n",
         "2:1: error: a compute ensemble inside of SEND .. SEND_DONE",
         "the \"execution block\" of the paper's Table II is read as the transfer ensemble of its "
         "Fig. 6"},
        {"SEND_DONE\n", "1:1: error: SEND_DONE without a SEND", NULL},
        {"SEND MPU1\n", "1:1: error: this SEND is not closed", "SEND_DONE is missing"},
        {"SEND MPU1\nSEND MPU2\nSEND_DONE\n", "2:1: error: SEND inside of a SEND", NULL},
        {"REPEAT 3\nNOP\n", "1:1: error: this REPEAT is not closed", "REPEAT_END is missing"},
        {"REPEAT_END\n", "1:1: error: REPEAT_END without a REPEAT", NULL},
        {"REPEAT 1\nREPEAT 1\nREPEAT 1\nREPEAT 1\nREPEAT 1\nREPEAT_END\nREPEAT_END\nREPEAT_END\n"
         "REPEAT_END\nREPEAT_END\n",
         "5:1: error: REPEAT is nested more than 4 deep", "the outermost of them is here"},
        {"COMPUTE RFH0 VRF0\nREPEAT 3\nCOMPUTE_DONE\n",
         "3:1: error: a REPEAT of this ensemble is not closed", "it began here"},
        {"REPEAT 3\nCOMPUTE RFH0 VRF0\nREPEAT_END\nCOMPUTE_DONE\nREPEAT_END\n",
         "3:1: error: REPEAT_END without a REPEAT", "this REPEAT stands outside of the ensemble"},
        {".sub s\nREPEAT 2\n.endsub\n", "2:1: error: this REPEAT is not closed", ".endsub"},
    };
    EXPECT(list);
    /* Legal: four deep at top level and again in a body; MEMCPY in a subroutine. */
    object_free(assemble_well("REPEAT 1\nREPEAT 1\nREPEAT 1\nREPEAT 1\nCOMPUTE RFH0 VRF0\n"
                              "REPEAT 1\nREPEAT 1\nREPEAT 1\nREPEAT 1\nNOP\nREPEAT_END\n"
                              "REPEAT_END\nREPEAT_END\nREPEAT_END\nCOMPUTE_DONE\nREPEAT_END\n"
                              "REPEAT_END\nREPEAT_END\nREPEAT_END\n"));
    object_free(assemble_well("HALT\n.sub s\nMEMCPY r0 VRF0 r0 VRF0\nRETURN\n.endsub\n"));
    object_free(assemble_well("HALT\ns: MEMCPY r0 VRF0 r0 VRF0\nRETURN\n"));
}

static void lane_dependence(void **state) {
    (void)state;
    static const struct mistake list[] = {
        {"l: CMPLT r1 r2\nUNMASK\nJUMP_COND l\n", "2:1: warning: UNMASK in a loop of JUMP_COND",
         NULL},
        {"l: SETMASK cond\nCMPLT r1 r2\nJUMP_COND l\n",
         "1:4: warning: SETMASK cond in a loop of JUMP_COND with no comparison", NULL},
        {"l: SETMASK r3\nJUMP_COND l\n", "1:4: warning: SETMASK r3 in a loop of JUMP_COND", NULL},
        {"GETMASK r3\nl: SETMASK r3\nJUMP_COND l\n", "2:4: warning: SETMASK r3", NULL},
        {"l: GETMASK r3\nINIT0 r3\nSETMASK r3\nJUMP_COND l\n", "3:1: warning: SETMASK r3", NULL},
        {"JUMP_NONE e\nUNMASK\ne: NOP\n", "2:1: warning: UNMASK behind a JUMP_NONE", NULL},
        {"JUMP_COND e\nNOP\ne: NOP\n", "1:1: warning: a forward JUMP_COND switches no VRF off",
         NULL},
        {"e: NOP\nJUMP_NONE e\n", "2:1: warning: a backward JUMP_NONE switches no VRF off", NULL},
        {"a: NOP\nb: CMPLT r1 r2\nSETMASK cond\nJUMP_COND b\nSETMASK cond\nUNMASK\nJUMP_COND a\n",
         "6:1: warning: UNMASK in a loop", NULL},
    };
    EXPECT(list);
    static const char *const fine[] = {
        "l: CMPLT r1 r2\nSETMASK cond\nJUMP_COND l\nUNMASK\n",
        "l: GETMASK r3\nCMPLT r1 r2\nGETC r4\nAND r3 r4 r5\nSETMASK r5\nJUMP_COND l\n",
        "JUMP_NONE e\nNOP\ne: UNMASK\n",
        "UNMASK\nSETMASK r1\nSETMASK cond\n",
    };
    for (size_t i = 0; i < sizeof fine / sizeof *fine; i++) {
        char *got = messages_of(fine[i]);
        if (got && *got)
            fail_msg("%s\ngives: %s", fine[i], got);
        free(got);
    }
}

/* A second declaration points at the first and takes nothing from it: `.data x` stays with the
 * first x, and no further message blames the variable that comes next. */
static void declared_twice(void **state) {
    (void)state;
    static const struct mistake list[] = {
        {".group g[2]\n.var x: u8 @g r1\n.var x: u8 r2\n.var y: u8[3] @g r3\n.data x 1, 2\n",
         "3:6: error: variable 'x' is declared twice", "2:6:  note: first declared here"},
        {".size n\n.size n\n", "2:7: error: size 'n' is declared twice",
         "1:7:  note: first declared here"},
        {".group g[2]\n.group g[3]\n", "2:8: error: group 'g' is declared twice",
         "1:8:  note: first declared here"},
        {".size n = 0\n.size m\n.group g[n]\n", "1:11: error: the default is 0", NULL},
    };
    EXPECT(list);
}

/* -Werror takes the object away. */
static void warnings_as_errors(void **state) {
    (void)state;
    struct diag *d = diag_new(NULL, NULL);
    assert_true(diag_set_warning(d, "error"));
    assert_null(assemble_text("l: UNMASK\nJUMP_COND l\n", d));
    assert_int_equal(diag_errors(d), 1);
    diag_free(d);
}

static void several_mistakes_in_one_run(void **state) {
    (void)state;
    char *got = messages_of("ADDD r1\nADD r1 r99 r2\nJUMP there\n.width 99\nNOP\nNOP.4\n");
    assert_int_equal(count_errors(got), 5);
    free(got);
    struct diag *d = diag_new(NULL, NULL);
    struct str text = {0};
    for (int i = 0; i < 1000; i++)
        str_append(&text, "ADDD r1\n");
    diag_set_max_errors(d, 7);
    assert_null(assemble_text(text.text, d));
    assert_int_equal(diag_errors(d), 7);
    str_free(&text);
    diag_free(d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(instructions),
        cmocka_unit_test(labels),
        cmocka_unit_test(directives),
        cmocka_unit_test(expressions),
        cmocka_unit_test(depth),
        cmocka_unit_test(link_time_values),
        cmocka_unit_test(macros_and_conditions),
        cmocka_unit_test(structure),
        cmocka_unit_test(lane_dependence),
        cmocka_unit_test(declared_twice),
        cmocka_unit_test(warnings_as_errors),
        cmocka_unit_test(several_mistakes_in_one_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
