/* SPDX-License-Identifier: MIT
 * Each construct of the imported dialect, with results worked out by hand, on golden and on racer's
 * micro-ops. */
#include "tests/erc/import.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define LANES 4
/* Lanes 0 to 3 of a register, and again in the lanes behind: of RFH0.VRF0 where `place` is NULL. */
struct values {
    const char *place;
    int reg; /* -1: the list ends */
    uint64_t lane[LANES];
};
#define END                                                                                        \
    {                                                                                              \
        NULL, -1, {                                                                                \
            0                                                                                      \
        }                                                                                          \
    }

struct program_case {
    const char *name, *source;
    unsigned width;
    bool assembly;
    struct values in[10], want[14];
};

#define ONE(body) "COMPUTE 0 0\n" body "COMPUTE_DONE\n"

static const struct program_case cases[] = {
    {"arithmetic",
     ONE("ADD 1 2 3\nSUB 1 2 4\nINC 1 5\nDEC 1 6\nLSHIFT 1 7\nINIT0 8\nINIT1 9\nMOV 1 10\n"
         "DEC 10 10\nPOPC8 1 11\nBFLIP8 1 12\n"),
     8,
     false,
     {{NULL, 1, {200, 7, 0, 255}}, {NULL, 2, {100, 9, 1, 255}}, {NULL, 8, {1, 2, 3, 4}}, END},
     {{NULL, 3, {44, 16, 1, 254}},
      {NULL, 4, {100, 254, 255, 0}},
      {NULL, 5, {201, 8, 1, 0}},
      {NULL, 6, {199, 6, 255, 254}},
      {NULL, 7, {144, 14, 0, 254}},
      {NULL, 8, {0, 0, 0, 0}},
      {NULL, 9, {1, 1, 1, 1}},
      {NULL, 10, {199, 6, 255, 254}},
      {NULL, 11, {3, 3, 0, 8}},
      {NULL, 12, {19, 224, 0, 255}},
      END}},
    {"logic",
     ONE("AND 1 2 3\nOR 1 2 4\nNAND 1 2 5\nNOR 1 2 6\nXOR 1 2 7\nXNOR 1 2 8\nINV 1 9\n"
         "MOV 2 10\nDINV 10\nMOV 11 12\nMUX 1 2 12\n"),
     4,
     false,
     {{NULL, 1, {12, 5, 0, 15}}, {NULL, 2, {10, 3, 0, 15}}, {NULL, 11, {15, 0, 6, 9}}, END},
     {{NULL, 3, {8, 1, 0, 15}},
      {NULL, 4, {14, 7, 0, 15}},
      {NULL, 5, {7, 14, 15, 0}},
      {NULL, 6, {1, 8, 15, 0}},
      {NULL, 7, {6, 6, 0, 0}},
      {NULL, 8, {9, 9, 15, 15}},
      {NULL, 9, {3, 10, 15, 0}},
      {NULL, 10, {5, 12, 15, 0}},
      {NULL, 12, {12, 3, 0, 15}},
      END}},
    {"MUL8 multiplies halves",
     ONE("MUL8 1 2 3\nMOV 1 4\nMUL8 4 2 4\nMOV 2 5\nMUL8 1 5 5\nMUL8 1 1 6\nMAC8 1 2 7\n"
         "MOV 1 8\nMAC8 8 2 8\n"),
     8,
     false,
     {{NULL, 1, {200, 7, 15, 16}}, {NULL, 2, {100, 9, 255, 3}}, {NULL, 7, {250, 1, 40, 5}}, END},
     {{NULL, 3, {32, 63, 225, 0}},
      {NULL, 4, {32, 63, 225, 0}},
      {NULL, 5, {32, 63, 225, 0}},
      {NULL, 6, {64, 49, 225, 0}},
      {NULL, 7, {26, 64, 9, 5}},
      {NULL, 8, {232, 70, 240, 16}},
      END}},
    {"MUL16 and MUL8 in words of 16 bits",
     ONE("MUL16 1 2 3\nMUL8 1 2 4\nQDIV8 1 2 5\nPOPC8 1 6\n"),
     16,
     false,
     {{NULL, 1, {0x1234, 255, 0xffff, 3}},
      {NULL, 2, {0x0102, 255, 0xffff, 5}},
      {NULL, 4, {0xffff, 0xffff, 0xffff, 0xffff}},
      END},
     {{NULL, 3, {0x68, 65025, 65025, 15}},
      {NULL, 4, {8, 225, 225, 15}},
      {NULL, 5, {26, 1, 1, 0}},
      {NULL, 6, {3, 8, 8, 2}},
      END}},
    {"MUL32",
     ONE("MUL32 1 2 3\n"),
     32,
     false,
     {{NULL, 1, {0x10003, 65535, 7, 0}}, {NULL, 2, {0x20005, 65535, 9, 1}}, END},
     {{NULL, 3, {15, 4294836225u, 63, 0}}, END}},
    {"division",
     ONE("QDIV8 1 2 3\nRDIV8 1 2 4\nMOV 2 5\nQRDIV8 1 5 6\n"),
     8,
     false,
     {{NULL, 1, {17, 90, 6, 15}}, {NULL, 2, {5, 10, 7, 1}}, END},
     {{NULL, 3, {3, 9, 0, 15}},
      {NULL, 4, {2, 0, 6, 0}},
      {NULL, 5, {2, 0, 6, 0}},
      {NULL, 6, {3, 9, 0, 15}},
      END}},
    {"comparisons and the conditional register",
     ONE("CMPLT 1 2\nLFLUSH\nGETMASK 3\nGETMASK 4\nCMPST 1 2\nFLUSH\nINV_TORUS\nGETMASK 5\n"
         "CMPEQ 1 2\nGETMASK 6\nCMPGT 1 2\nGETMASK 7\n"),
     8,
     false,
     {{NULL, 1, {200, 7, 7, 0}}, {NULL, 2, {100, 9, 7, 1}}, END},
     {{NULL, 3, {255, 0, 0, 0}},
      {NULL, 4, {0, 0, 0, 0}},
      {NULL, 5, {255, 0, 255, 0}},
      {NULL, 6, {0, 0, 255, 0}},
      {NULL, 7, {255, 0, 0, 0}},
      END}},
    {"rectified by the sign",
     ONE("MSB_PRED 1\nFLUSH\nINV_TORUS\nFLUSH\nRELUv1 1 2\nGETMASK 3\n"),
     8,
     false,
     {{NULL, 1, {200, 7, 127, 128}}, END},
     {{NULL, 2, {0, 7, 127, 0}}, {NULL, 3, {0, 255, 255, 0}}, END}},
    {"words of one bit",
     ONE("MSB_PRED 1\nGETMASK 2\nINV_TORUS\nRELUv1 1 3\nCMPEQ 1 4\nGETMASK 5\nSETMASK 5\nINIT1 6\n"),
     1,
     false,
     {{NULL, 1, {1, 0, 1, 0}}, {NULL, 4, {1, 1, 0, 0}}, END},
     {{NULL, 2, {1, 0, 1, 0}},
      {NULL, 3, {1, 0, 1, 0}},
      {NULL, 5, {1, 0, 0, 1}},
      {NULL, 6, {1, 0, 0, 1}},
      END}},
    {"half sum",
     ONE("HalfADD 1 2 3\nHalfADD 4 5 4\n"),
     4,
     false,
     {{NULL, 1, {12, 5, 0, 15}},
      {NULL, 2, {10, 3, 0, 15}},
      {NULL, 4, {12, 5, 0, 15}},
      {NULL, 5, {10, 3, 0, 15}},
      END},
     {{NULL, 3, {8, 1, 0, 15}},
      {NULL, 2, {6, 6, 0, 0}},
      {NULL, 4, {8, 1, 0, 15}},
      {NULL, 5, {6, 6, 0, 0}},
      END}},
    {"what the prototype lacks",
     ONE("MAX 1 2 3\nMIN 1 2 4\nCAS 5 6\nFUZZY 1 2 7\nGETMASK 8\n"),
     8,
     false,
     {{NULL, 1, {5, 9, 3, 255}},
      {NULL, 2, {7, 8, 3, 0}},
      {NULL, 5, {5, 9, 3, 255}},
      {NULL, 6, {7, 8, 3, 0}},
      {NULL, 7, {2, 0, 0, 254}},
      END},
     {{NULL, 3, {7, 9, 3, 255}},
      {NULL, 4, {5, 8, 3, 0}},
      {NULL, 5, {5, 8, 3, 0}},
      {NULL, 6, {7, 9, 3, 255}},
      {NULL, 8, {255, 0, 255, 0}},
      END}},
    {"SETMASK spreads the bit, clears T and masks",
     ONE("CMPEQ 1 1\nSETMASK 2\nINC 1 1\nGETMASK 3\nUNMASK\nINC 1 1\nGETMASK 4\n"),
     8,
     false,
     {{NULL, 1, {10, 20, 30, 40}}, {NULL, 2, {1, 2, 7, 0}}, {NULL, 3, {9, 9, 9, 9}}, END},
     {{NULL, 1, {12, 21, 32, 41}},
      {NULL, 2, {255, 0, 255, 0}},
      {NULL, 3, {0, 9, 0, 9}},
      {NULL, 4, {0, 0, 0, 0}},
      END}},
    {"the mask follows its register",
     ONE("CMPLT 1 2\nGETMASK 3\nSETMASK 3\nINC 4 4\nCMPEQ 1 5\nGETMASK 3\nINC 4 4\nUNMASK\n"
         "INC 4 4\n"),
     8,
     false,
     {{NULL, 1, {9, 9, 1, 8}}, {NULL, 2, {5, 5, 5, 5}}, {NULL, 5, {9, 0, 1, 8}}, END},
     {{NULL, 3, {255, 0, 0, 255}}, {NULL, 4, {3, 2, 1, 3}}, END}},
    {"a mask outlives its ensemble, in its VRF",
     "COMPUTE 0 0\nCMPLT 1 2\nGETMASK 3\nSETMASK 3\nCOMPUTE_DONE\n"
     "COMPUTE 0 1\nINC 4 4\nCOMPUTE_DONE\n"
     "COMPUTE 0 0\nINC 4 4\nUNMASK\nINC 5 5\nCOMPUTE_DONE\n"
     "COMPUTE 0 0\nINC 5 5\nCOMPUTE_DONE\n",
     8,
     false,
     {{NULL, 1, {9, 9, 1, 8}}, {NULL, 2, {5, 10, 5, 5}}, END},
     {{NULL, 4, {1, 0, 0, 1}}, {NULL, 5, {2, 2, 2, 2}}, {"RFH0.VRF1", 4, {1, 1, 1, 1}}, END}},
    {"VRFs with different masks in one ensemble",
     "COMPUTE 0 0\nCMPLT 1 2\nGETMASK 3\nSETMASK 3\nCOMPUTE_DONE\n"
     "COMPUTE 1 2\nSETMASK 6\nCOMPUTE_DONE\n"
     "COMPUTE 0 0\nCOMPUTE 1 2\nCOMPUTE 1 3\nINC 4 4\nCOMPUTE_DONE\n"
     "COMPUTE 1 2\nINC 4 4\nUNMASK\nCOMPUTE_DONE\n",
     8,
     false,
     {{NULL, 1, {9, 9, 1, 8}}, {NULL, 2, {5, 10, 5, 5}}, {"RFH1.VRF2", 6, {0, 1, 1, 0}}, END},
     {{NULL, 4, {1, 0, 0, 1}},
      {"RFH1.VRF2", 4, {0, 2, 2, 0}},
      {"RFH1.VRF3", 4, {1, 1, 1, 1}},
      END}},
    {"an ensemble that grows, with a copy in between",
     "COMPUTE 0 0\nINC 1 1\nMOVE 0 1\nMEM_COPY 0 1 0 1\nMOVE_DONE\nINC 1 1\nCOMPUTE 1 0\n"
     "INC 1 1\nCOMPUTE_DONE\n",
     8,
     false,
     {{NULL, 1, {1, 2, 3, 4}}, END},
     {{NULL, 1, {4, 5, 6, 7}}, {"RFH1.VRF0", 1, {3, 4, 5, 6}}, END}},
    {"every RFH",
     "COMPUTE_ALL 1\nINIT1 1\nCOMPUTE_DONE\nCOMPUTE 7 1\nINC 1 1\nNOP 5\nNOP\nCOMPUTE_DONE\n",
     8,
     false,
     {END},
     {{"RFH0.VRF1", 1, {1, 1, 1, 1}}, {"RFH7.VRF1", 1, {2, 2, 2, 2}}, END}},
    {"copies",
     "COMPUTE 0 0\nCOMPUTE 1 3\nCOMPUTE 2 3\nMOV 1 1\nMOV 2 2\nMOV 3 3\nCOMPUTE_DONE\n"
     "MOVE 0 1\nMOVE 0 2\nMEM_COPY 0 1 3 1\nMEM_COPY_RSHIFT 0 1 3 3 2\nMEM_BCAST 0 1 2 3 3\n"
     "MOVE_DONE\n",
     8,
     false,
     {{NULL, 1, {200, 7, 96, 255}},
      {"RFH1.VRF3", 2, {0xff, 0xff, 0x1f, 0}},
      {"RFH2.VRF3", 2, {0, 0x40, 0xa0, 0}},
      END},
     {{"RFH1.VRF3", 1, {200, 7, 96, 255}},
      {"RFH2.VRF3", 1, {200, 7, 96, 255}},
      {"RFH1.VRF3", 2, {0xf9, 0xe0, 0x0c, 0x1f}},
      {"RFH2.VRF3", 2, {25, 0x40, 0xac, 31}},
      {"RFH1.VRF3", 3, {96, 96, 96, 96}},
      {"RFH2.VRF3", 3, {96, 96, 96, 96}},
      END}},
    {"macros, brackets and loops",
     "#define first 10\n#define count 4 // of registers\n"
     "/* a comment\n over lines */\nCOMPUTE 0 [count - 4]\n"
     "for(i=0;i<count;i+=1)\nfor(k=i;k<[count/2];k+=1)\nINC [first+i] [first+i]\nendfor\nendfor\n"
     "for(i=8;i>=1;i>>=1)\nINC 20 20\nendfor\nfor(i=1;i<9;i*=2)\nINC 21 21\nendfor\n"
     "for(i=5;i>2;i-=2)\nINC [20+max(i-3,2)] 23\nendfor\n"
     "for(i=0;i<0;i+=1)\nINC 20 20\nendfor\nINC [int(7/2) ** 2 + (1 << 2) + 17 % 5 - ~0 + 9] 24\n"
     "COMPUTE_DONE\n",
     8,
     false,
     {{NULL, 25, {5, 6, 7, 8}}, {NULL, 22, {5, 6, 7, 8}}, END},
     {{NULL, 10, {2, 2, 2, 2}},
      {NULL, 11, {1, 1, 1, 1}},
      {NULL, 20, {4, 4, 4, 4}},
      {NULL, 21, {4, 4, 4, 4}},
      {NULL, 23, {6, 7, 8, 9}},
      {NULL, 24, {6, 7, 8, 9}},
      END}},
    {"funcs",
     "#define one 9\nfunc twice(a, b):\nADD [a] [a] [b]\nendfunc\n"
     "func four(b, a)\ntwice(b, a)\ntwice(a, a)\nINC [a] [a]\nendfunc\n"
     "COMPUTE 0 0\nINIT1 [one]\nfor(k=2;k<4;k+=1)\nfour(1, k)\nendfor\nfour([2], [one+1])\n"
     "COMPUTE_DONE\n",
     8,
     false,
     {{NULL, 1, {1, 2, 3, 4}}, END},
     {{NULL, 2, {5, 9, 13, 17}}, {NULL, 3, {5, 9, 13, 17}}, {NULL, 10, {21, 37, 53, 69}}, END}},
    {"if, elif, else",
     ONE("if 60,61<-(1 > 2)\nINIT1 3\nelif 62<-(1 == 2)\nINIT0 3\nINC 4 4\nelif 59<-(1 == 5)\n"
         "INC 6 6\nelse\nDEC 7 7\nendif\nINC 7 7\n"),
     8,
     false,
     {{NULL, 1, {9, 5, 3, 2}},
      {NULL, 2, {5, 5, 5, 5}},
      {NULL, 3, {7, 7, 7, 7}},
      {NULL, 5, {9, 5, 3, 3}},
      END},
     {{NULL, 3, {1, 0, 7, 7}},
      {NULL, 4, {0, 1, 0, 0}},
      {NULL, 6, {0, 0, 1, 0}},
      {NULL, 7, {1, 1, 1, 0}},
      {NULL, 61, {255, 0, 0, 0}},
      {NULL, 62, {0, 255, 0, 0}},
      {NULL, 59, {0, 0, 255, 0}},
      {NULL, 60, {0, 0, 0, 255}},
      END}},
    {"blocks in blocks, with the same registers",
     ONE("if 60,61<-(1 > 2)\nif 60,61<-(1 > 5)\nINC 3 3\nelse\nINC 4 4\nendif\nINC 6 6\n"
         "else\nif 60,61<-(1 >= 5)\nINC 7 7\nendif\nINC 8 8\nif 60,61<-(1 != 5)\nINC 9 9\nendif\n"
         "INC 10 10\nendif\nINC 11 11\n"),
     8,
     false,
     {{NULL, 1, {9, 6, 3, 2}}, {NULL, 2, {5, 5, 5, 5}}, {NULL, 5, {8, 8, 3, 3}}, END},
     {{NULL, 3, {1, 0, 0, 0}},
      {NULL, 4, {0, 1, 0, 0}},
      {NULL, 6, {1, 1, 0, 0}},
      {NULL, 7, {0, 0, 1, 0}},
      {NULL, 8, {0, 0, 1, 1}},
      {NULL, 9, {0, 0, 0, 1}},
      {NULL, 10, {0, 0, 1, 1}},
      {NULL, 11, {1, 1, 1, 1}},
      END}},
    {"a mask around an if",
     ONE("SETMASK 5\nif 60,61<-(1 <= 2)\nINC 3 3\nelse\nINC 4 4\nendif\nINC 6 6\nUNMASK\nINC 7 7\n"),
     8,
     false,
     {{NULL, 1, {9, 5, 3, 9}}, {NULL, 2, {5, 5, 5, 5}}, {NULL, 5, {1, 1, 0, 0}}, END},
     {{NULL, 3, {0, 1, 0, 0}},
      {NULL, 4, {1, 0, 0, 0}},
      {NULL, 6, {1, 1, 0, 0}},
      {NULL, 7, {1, 1, 1, 1}},
      END}},
    {"a while in a while",
     ONE("INIT0 3\nwhile [60],[59]<-(1 > 3)\nMOV 1 2\nwhile 61,58<-(2 > 3)\nINC 4 4\nDEC 2 2\n"
         "endwhile\nDEC 1 1\nINC 5 5\nendwhile\nINC 6 6\n"),
     8,
     false,
     {{NULL, 1, {3, 0, 1, 5}}, END},
     {{NULL, 4, {6, 0, 1, 15}}, {NULL, 5, {3, 0, 1, 5}}, {NULL, 6, {1, 1, 1, 1}}, END}},
    {"a lane leaves its while by the mask register",
     ONE("INIT0 3\nwhile 60,59<-(1 > 3)\nDEC 1 1\nINC 4 4\nCMPEQ 4 5\nINV_TORUS\nGETMASK 60\n"
         "INC 6 6\nendwhile\n"),
     8,
     false,
     {{NULL, 1, {3, 4, 9, 0}}, {NULL, 5, {9, 2, 1, 1}}, END},
     {{NULL, 4, {3, 2, 1, 0}}, {NULL, 6, {3, 1, 0, 0}}, {NULL, 1, {0, 2, 8, 0}}, END}},
    {"a while whose body changes the mask",
     ONE("INIT0 3\nwhile 60,59<-(1 > 3)\nDEC 1 1\nUNMASK\nINC 4 4\nendwhile\n"),
     8,
     false,
     {{NULL, 1, {3, 1, 0, 2}}, END},
     {{NULL, 1, {0, 0, 0, 0}}, {NULL, 4, {3, 3, 3, 3}}, END}},
    {"a counted loop of JUMP_COND",
     ONE("INIT0 1\ntop:\nADD 2 3 2\nGETMASK 9\nINC 1 1\nCMPEQ 1 4\nLFLUSH\nJUMP_COND top\nGETMASK 9\n"
         "INC 5 5\n"),
     8,
     false,
     {{NULL, 3, {1, 2, 3, 4}}, {NULL, 4, {5, 5, 5, 5}}, END},
     {{NULL, 1, {5, 5, 5, 5}}, {NULL, 2, {5, 10, 15, 20}}, {NULL, 5, {1, 1, 1, 1}}, END}},
    {"the label in front of the header, a mask that the loop sets",
     "top:\nCOMPUTE 0 0\nINC 1 1\nCMPST 1 2\nGETMASK 3\nSETMASK 3\nINC 4 4\nCMPEQ 1 5\nJUMP_COND top\n"
     "INC 6 6\nUNMASK\nINC 7 7\nCOMPUTE_DONE\n",
     8,
     false,
     {{NULL, 2, {9, 9, 3, 1}}, {NULL, 5, {4, 4, 2, 1}}, END},
     {{NULL, 1, {4, 4, 3, 1}},
      {NULL, 4, {4, 4, 2, 0}},
      {NULL, 6, {1, 1, 0, 0}},
      {NULL, 7, {1, 1, 1, 1}},
      END}},
    {"a subroutine called under masks",
     "COMPUTE 0 0\nif 60,61<-(1 > 2)\nJUMP add\nelse\nJUMP add\nJUMP add\nendif\nJUMP pick\nINC 6 6\n"
     "COMPUTE_DONE\nEOF\nadd:\nADD 3 4 3\nRETURN\npick:\nSETMASK 5\nINC 7 7\nUNMASK\nRETURN\n",
     8,
     false,
     {{NULL, 1, {9, 1, 9, 1}},
      {NULL, 2, {5, 5, 5, 5}},
      {NULL, 4, {1, 2, 3, 4}},
      {NULL, 5, {0, 1, 1, 0}},
      END},
     {{NULL, 3, {1, 4, 3, 8}}, {NULL, 6, {1, 1, 1, 1}}, {NULL, 7, {0, 1, 1, 0}}, END}},
    {"JUMP over a subroutine to what does not return",
     "JUMP main\nbump:\nINC 1 1\nRETURN\nmain:\nCOMPUTE 0 0\nJUMP bump\nJUMP over\nINC 1 1\nover:\n"
     "INC 2 2\nCOMPUTE_DONE\n",
     8,
     false,
     {END},
     {{NULL, 1, {1, 1, 1, 1}}, {NULL, 2, {1, 1, 1, 1}}, END}},
    {"a loop around ensembles",
     "COMPUTE 0 0\nINIT0 1\nCOMPUTE_DONE\ntop:\nCOMPUTE 0 0\nINC 1 1\nMOV 1 2\nCOMPUTE_DONE\n"
     "MOVE 0 1\nMEM_COPY 0 2 0 2\nMOVE_DONE\nCOMPUTE 1 0\nADD 3 2 3\nCOMPUTE_DONE\n"
     "COMPUTE 0 0\nCMPEQ 1 4\nCOMPUTE_DONE\nLFLUSH\nJUMP_COND top\nCOMPUTE 0 0\nINC 5 5\n"
     "COMPUTE_DONE\n",
     8,
     false,
     {{NULL, 4, {4, 4, 4, 4}}, {"RFH1.VRF0", 3, {0, 1, 2, 3}}, END},
     {{NULL, 1, {4, 4, 4, 4}}, {NULL, 5, {1, 1, 1, 1}}, {"RFH1.VRF0", 3, {10, 11, 12, 13}}, END}},
    {"a loop of masks as the prototype's compiler makes it",
     "COMPUTE 0 0\nCMPLT 1 2\nLFLUSH\nGETMASK 61\n5:\nGETMASK 60\nSETMASK 61\nDEC 1 1\nINC 3 3\n"
     "UNMASK\nINC 4 4\nCMPLT 1 2\nLFLUSH\nGETMASK 61\nCMPLT 1 2\nLFLUSH\nINV_TORUS\nJUMP_COND 5\n"
     "GETMASK 60\nCOMPUTE_DONE\nEOF\n",
     8,
     true,
     {{NULL, 1, {9, 5, 3, 200}}, {NULL, 2, {5, 5, 0, 198}}, END},
     {{NULL, 1, {5, 5, 0, 198}}, {NULL, 3, {4, 0, 3, 2}}, {NULL, 4, {4, 4, 4, 4}}, END}},
    {"a mask that a JUMP between ensembles passes by, and one that a subroutine sets",
     "COMPUTE 0 0\nSETMASK 5\nCOMPUTE_DONE\nJUMP over\nCOMPUTE 0 0\nUNMASK\nCOMPUTE_DONE\nover:\n"
     "COMPUTE 0 0\nINC 1 1\nCOMPUTE_DONE\nJUMP pick\nCOMPUTE 0 0\nINC 2 2\nUNMASK\nINC 3 3\n"
     "COMPUTE_DONE\nEOF\npick:\nCOMPUTE 0 0\nUNMASK\nSETMASK 6\nCOMPUTE_DONE\nRETURN\n",
     8,
     false,
     {{NULL, 5, {1, 1, 0, 0}}, {NULL, 6, {0, 1, 1, 0}}, END},
     {{NULL, 1, {1, 1, 0, 0}}, {NULL, 2, {0, 1, 1, 0}}, {NULL, 3, {1, 1, 1, 1}}, END}},
    {"masks of several VRFs follow their registers",
     "COMPUTE 0 0\nSETMASK 5\nCOMPUTE_DONE\nCOMPUTE 1 0\nSETMASK 6\nCOMPUTE_DONE\n"
     "COMPUTE 0 0\nCOMPUTE 1 0\nCOMPUTE 2 0\nMOV 7 6\nINC 1 1\nCOMPUTE_DONE\n"
     "COMPUTE 1 0\nMOV 8 6\nINC 2 2\nCOMPUTE_DONE\n",
     8,
     false,
     {{NULL, 5, {1, 1, 0, 0}},
      {NULL, 7, {0, 0, 0, 0}},
      {"RFH1.VRF0", 6, {1, 1, 1, 0}},
      {"RFH1.VRF0", 7, {1, 0, 1, 1}},
      {"RFH1.VRF0", 8, {1, 1, 0, 1}},
      END},
     {{NULL, 1, {1, 1, 0, 0}},
      {NULL, 6, {0, 0, 0, 0}},
      {"RFH1.VRF0", 1, {1, 0, 1, 0}},
      {"RFH1.VRF0", 2, {1, 0, 0, 0}},
      {"RFH2.VRF0", 1, {1, 1, 1, 1}},
      END}},
    {"a mask that two ways to a label leave different",
     ONE("INIT0 1\nSETMASK 5\ntop:\nINC 2 2\nUNMASK\nINC 1 1\nSETMASK 6\nCMPEQ 1 4\n"
         "JUMP_COND top\nMOV 7 6\nINC 3 3\n"),
     8,
     false,
     {{NULL, 4, {3, 3, 3, 3}},
      {NULL, 5, {1, 1, 0, 0}},
      {NULL, 6, {0, 1, 1, 0}},
      {NULL, 7, {1, 0, 1, 0}},
      END},
     {{NULL, 1, {3, 3, 3, 3}}, {NULL, 2, {1, 3, 2, 0}}, {NULL, 3, {0, 0, 1, 0}}, END}},
    {"elif, else and endwhile clear T in all lanes of the block around",
     ONE("if 60,61<-(1 > 2)\nCMPEQ 1 1\nelse\nINC 3 3\nendif\nGETMASK 4\n"
         "if 60,61<-(1 > 2)\nCMPEQ 1 1\nelif 62<-(1 > 2)\nendif\nGETMASK 5\n"
         "if 60,61<-(1 > 2)\nINC 3 3\nelse\nCMPEQ 1 1\nendif\nGETMASK 6\n"
         "MOV 1 8\nwhile 60,61<-(8 > 2)\nCMPEQ 1 1\nINIT0 60\nendwhile\nGETMASK 7\n"),
     8,
     false,
     {{NULL, 1, {9, 5, 3, 6}}, {NULL, 2, {5, 5, 5, 5}}, END},
     {{NULL, 3, {1, 1, 1, 1}},
      {NULL, 4, {0, 0, 0, 0}},
      {NULL, 5, {0, 0, 0, 0}},
      {NULL, 6, {0, 255, 255, 0}},
      {NULL, 7, {0, 0, 0, 0}},
      END}},
    {"an inner block takes the registers of the outer one",
     ONE("SETMASK 5\nif 60,5<-(1 > 2)\nINC 3 3\nelse\nINC 4 4\nendif\nINC 6 6\nMOV 7 5\nINC 8 8\n"),
     8,
     false,
     {{NULL, 1, {9, 5, 9, 5}},
      {NULL, 2, {5, 5, 5, 5}},
      {NULL, 5, {1, 1, 0, 0}},
      {NULL, 7, {0, 1, 1, 1}},
      END},
     {{NULL, 3, {1, 0, 0, 0}},
      {NULL, 4, {0, 1, 0, 0}},
      {NULL, 6, {1, 1, 0, 0}},
      {NULL, 8, {0, 1, 0, 0}},
      {NULL, 5, {0, 1, 0, 0}},
      END}},
    {"labels with dots",
     ONE("INIT0 1\n.__loop0:\nINC 1 1\nCMPEQ 1 2\nLFLUSH\nJUMP_COND .__loop0\nJUMP .end.1\n"
         "INC 3 3\n.end.1:\nINC 4 4\n"),
     8,
     false,
     {{NULL, 2, {5, 5, 5, 5}}, END},
     {{NULL, 1, {5, 5, 5, 5}}, {NULL, 3, {0, 0, 0, 0}}, {NULL, 4, {1, 1, 1, 1}}, END}},
    {"the prototype's assembly",
     "COMPUTE 0 0\nINIT0 1\n3:\nADD 2, 3, 2\nGETMASK 9\nINC 1 1\n\nCMPEQ 1 4\nLFLUSH\nJUMP_COND 3\n"
     "COMPUTE_DONE\nJUMP 15\nCOMPUTE 0 0\nINIT0 2\nCOMPUTE_DONE\nEOF\nINIT0 1",
     8,
     true,
     {{NULL, 3, {1, 2, 3, 4}}, {NULL, 4, {5, 5, 5, 5}}, END},
     {{NULL, 1, {5, 5, 5, 5}}, {NULL, 2, {5, 10, 15, 20}}, END}},
};

static void name_of(const struct values *v, char name[64]) {
    snprintf(name, 64, "%s.r%d", v->place ? v->place : "RFH0.VRF0", v->reg);
}

static void put_values(mpu_session *s, const struct values *v) {
    char name[64];
    uint64_t lanes[64];
    for (; v->reg >= 0; v++) {
        for (unsigned i = 0; i < 64; i++)
            lanes[i] = v->lane[i % LANES];
        name_of(v, name);
        import_put(s, name, lanes, 64);
    }
}

static void check_values(mpu_session *s, const char *what, const struct values *v) {
    char name[64];
    uint64_t got[LANES];
    for (; v->reg >= 0; v++) {
        name_of(v, name);
        import_get(s, name, got, LANES);
        for (unsigned i = 0; i < LANES; i++)
            if (got[i] != v->lane[i])
                fail_msg("%s: %s is %llu %llu %llu %llu", what, name, (unsigned long long)got[0],
                         (unsigned long long)got[1], (unsigned long long)got[2],
                         (unsigned long long)got[3]);
    }
}

static void run_case(const struct program_case *c, const mpu_target *t, const char *batch) {
    struct erc_options options = {.width = c->width, .assembly = c->assembly};
    mpu_config config = {.size = sizeof config, .batch = batch, .max_cycles = 10000000};
    mpu_program *p = import_programs(&c->source, 1, &options);
    mpu_error *e = NULL;
    mpu_session *s = mpu_session_new(p, t, &config, &e);
    if (!s)
        import_fail(c->name, e);
    put_values(s, c->in);
    if (mpu_session_run(s, &e) != MPU_OK)
        import_fail(c->name, e);
    check_values(s, c->name, c->want);
    mpu_session_free(s);
    mpu_program_free(p);
}

static void test_programs(void **state) {
    (void)state;
    mpu_target *golden = mpu_target_open("golden", NULL, NULL);
    mpu_target *racer = mpu_target_open("racer", NULL, NULL);
    assert_non_null(golden);
    assert_non_null(racer);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        run_case(&cases[i], golden, "target");
        run_case(&cases[i], racer, "one");
        run_case(&cases[i], racer, "all");
    }
    mpu_target_close(golden);
    mpu_target_close(racer);
}

/* MPU 0 sends a register to MPU 1, which adds its own and sends the sum back. */
static const char *const exchange[] = {
    "COMPUTE 0 0\nINC 1 1\nCOMPUTE_DONE\nMPI_SEND 1 0 2\nMEM_COPY 0 1 5 1\nMPI_SEND_DONE\n"
    "MPI_BARRIER\nMPI_RECV 1\nCOMPUTE 0 0\nINC 3 3\nCOMPUTE_DONE\n",
    "MPI_RECV 0\nCOMPUTE 2 5\nADD 1 2 3\nCOMPUTE_DONE\nMPI_BARRIER\nMPI_SEND 0 2 0\n"
    "MEM_COPY 5 3 0 3\nMPI_SEND_DONE\n"};

static void run_two(const char *name, const char *const sources[2], const struct values *in,
                    const struct values *want) {
    static const char *const names[] = {"golden", "racer"};
    struct erc_options options = {.width = 16};
    for (size_t i = 0; i < 2; i++) {
        mpu_target *t = mpu_target_open(names[i], NULL, NULL);
        mpu_program *p = import_programs(sources, 2, &options);
        mpu_error *e = NULL;
        mpu_session *s = mpu_session_new(p, t, NULL, &e);
        if (!s)
            import_fail(name, e);
        put_values(s, in);
        if (mpu_session_run(s, &e) != MPU_OK)
            import_fail(name, e);
        check_values(s, name, want);
        mpu_session_free(s);
        mpu_program_free(p);
        mpu_target_close(t);
    }
}

static void test_messages(void **state) {
    (void)state;
    static const struct values in[] = {
        {"MPU0.RFH0.VRF0", 1, {1, 2, 3, 4}}, {"MPU1.RFH2.VRF5", 2, {10, 20, 30, 40}}, END};
    static const struct values want[] = {
        {"MPU0.RFH0.VRF0", 3, {13, 24, 35, 46}}, {"MPU1.RFH2.VRF5", 1, {2, 3, 4, 5}}, END};
    run_two("exchange", exchange, in, want);
}

/* Blocks with all registers named, where register 6 comes by a message. */
#define ALL_NAMED "for(i=0;i<64;i+=1)\nMOV [i] [i]\nendfor\n"
#define BLOCKS                                                                                     \
    "if 60,61<-(1 > 2)\nif 58,59<-(1 > 3)\nINC 6 6\nelse\nADD 6 6 6\nendif\nelse\nDEC 6 6\n"       \
    "endif\n"
static const char *const full_exchange[] = {
    "COMPUTE 0 0\n" ALL_NAMED BLOCKS "COMPUTE_DONE\nMPI_SEND 1 0 0\nMEM_COPY 0 6 0 6\n"
    "MPI_SEND_DONE\n",
    "COMPUTE 0 0\n" ALL_NAMED "COMPUTE_DONE\nMPI_RECV 0\nCOMPUTE 0 0\n" BLOCKS "MOV 6 7\n"
    "COMPUTE_DONE\n"};

static void test_full_messages(void **state) {
    (void)state;
    static const struct values in[] = {
        {"MPU0.RFH0.VRF0", 1, {9, 6, 1, 1}}, {"MPU0.RFH0.VRF0", 2, {5, 5, 5, 5}},
        {"MPU0.RFH0.VRF0", 3, {7, 7, 7, 7}}, {"MPU0.RFH0.VRF0", 6, {1, 2, 3, 4}},
        {"MPU1.RFH0.VRF0", 1, {9, 6, 1, 9}}, {"MPU1.RFH0.VRF0", 2, {5, 5, 5, 5}},
        {"MPU1.RFH0.VRF0", 3, {7, 7, 7, 7}}, END};
    static const struct values want[] = {
        {"MPU0.RFH0.VRF0", 6, {2, 4, 2, 3}}, {"MPU1.RFH0.VRF0", 6, {3, 8, 1, 4}},
        {"MPU1.RFH0.VRF0", 7, {3, 8, 1, 4}}, {"MPU1.RFH0.VRF0", 1, {9, 6, 1, 9}},
        {"MPU1.RFH0.VRF0", 2, {5, 5, 5, 5}}, END};
    struct erc_options alone = {.width = 16};
    run_two("messages with all registers named", full_exchange, in, want);
    /* What a text of others sends is not known. */
    assert_null(import_object(full_exchange[1], &alone, NULL));
}

/* Sources that are refused, and the first words of what is said. */
static const struct {
    const char *source, *message;
} refusals[] = {
    {ONE("JUMP_COND nowhere\n"), "2:11: error: there is no label 'nowhere'"},
    {"COMPUTE 0 0\ntop:\nINC 1 1\nCOMPUTE_DONE\nCOMPUTE 0 0\nJUMP_COND top\nCOMPUTE_DONE\n",
     "6:1: error: this jump leads into or out of an ensemble or subroutine"},
    {"COMPUTE 0 0\nif 1,2<-(3 > 4)\nCOMPUTE_DONE\nCOMPUTE 0 1\nendif\nCOMPUTE_DONE\n",
     "5:1: error: this if ends in another ensemble than it begins in"},
    {"COMPUTE 0 0\nwhile 1,2<-(3 > 4)\nCOMPUTE_DONE\nCOMPUTE 0 0\nendwhile\nCOMPUTE_DONE\n",
     "5:1: error: this while ends in another ensemble than it begins in"},
    {"if 1,2<-(3 > 4)\nendif\n", "1:1: error: a block of masks stands in COMPUTE .. COMPUTE_DONE"},
    {"MPI_SEND 1 0 0\nMOVE 0 1\n", "2:1: error: MOVE stands in a transfer that has not ended"},
    {"MPI_SEND 1 0 0\nMEM_COPY_RSHIFT 0 1 2 0 1\nMPI_SEND_DONE\n",
     "2:1: error: MEM_COPY_RSHIFT into another MPU is not translated"},
    {"COMPUTE 0 0\nMPI_SEND 1 0 0\nINC 1 1\nMPI_SEND_DONE\nCOMPUTE_DONE\n",
     "3:1: error: MPI_SEND .. MPI_SEND_DONE holds copies alone"},
    {"MOVE_DONE\n", "1:1: error: MOVE_DONE without MOVE"},
    {"JUMP_COND top\nCOMPUTE 0 0\ntop:\nINC 1 1\nCOMPUTE_DONE\n",
     "1:1: error: JUMP_COND outside of an ensemble has no lanes to ask"},
    {"MPI_INTRP_REQ 1\n", "1:1: error: MPI_INTRP_REQ is not translated"},
    {"for(i=0;i<4;i+=1)\ntop:\nJUMP top\nendfor\n",
     "3:6: error: the label 'top' stands in 4 places"},
    {"func f(a)\nf(a)\nendfunc\nf(1)\n", "2:1: error: 'f' calls itself"},
    {"func f(a, b)\nendfunc\nf(1)\n", "3:1: error: 'f' takes 2 values, not 1"},
    {"for(i=0;i<3000;i+=1)\nfor(k=0;k<3000;k+=1)\nFLUSH\nendfor\nendfor\n",
     "2:1: error: with all loops unrolled the program is too long"},
    {"for(i=0;i<4;i+=1)\nif 1,2<-(3 > 4)\nendfor\nendif\n", "3:1: error: 'endfor' without a 'for'"},
    {"/* open\nINC 1 1\n", "1:1: error: this comment has no */"},
    {"INC [1 << 80] 1\n", "1:8: error: the number has more than 63 bits"},
    {"INC [9223372036854775807 + 1] 1\n", "1:26: error: the number has more than 63 bits"},
    {"INC [-3] 1\n", "1:5: error: register -3 does not exist"},
};

static void test_refusals(void **state) {
    (void)state;
    struct erc_options options = {.width = 8};
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        struct str messages = {0};
        struct object *o = import_object(refusals[i].source, &options, &messages);
        if (o || !strstr(str_text(&messages), refusals[i].message))
            fail_msg("%s\n%s", refusals[i].source, str_text(&messages));
        str_free(&messages);
    }
}

/* All registers are named, and live from the begin to the end, which an ADD at the end sees. */
static void write_full(struct str *source, const char *body) {
    str_printf(source,
               "COMPUTE 0 0\nfor(i=0;i<64;i+=1)\nMOV [i] [i]\nendfor\n%sfor(i=5;i<63;i+=1)\n"
               "ADD 63 [i] 63\nendfor\nCOMPUTE_DONE\n",
               body);
}

static void run_full(const struct program_case *c) {
    struct program_case one = *c;
    struct str source = {0};
    write_full(&source, c->source);
    one.source = str_text(&source);
    mpu_target *golden = mpu_target_open("golden", NULL, NULL);
    run_case(&one, golden, "target");
    mpu_target_close(golden);
    str_free(&source);
}

/* Scratch registers for an instruction, for blocks, and for pointers of VRFs. */
static const struct program_case full_cases[] = {
    {"MAC8 with all registers named",
     "MAC8 1 2 3\nMSB_PRED 1\nRELUv1 2 4\n",
     8,
     false,
     {{NULL, 1, {0x85, 3, 2, 1}}, {NULL, 2, {7, 7, 7, 7}}, {NULL, 6, {1, 2, 3, 4}}, END},
     {{NULL, 3, {35, 21, 14, 7}}, {NULL, 4, {7, 0, 0, 0}}, {NULL, 63, {1, 2, 3, 4}}, END}},
    {"blocks in blocks with all registers named",
     "if 60,61<-(1 > 2)\nif 58,59<-(1 > 3)\nINC 6 6\nelse\nMUL8 6 2 6\nendif\nelse\nDEC 6 6\nendif\n",
     16,
     false,
     {{NULL, 1, {9, 6, 1, 1}},
      {NULL, 2, {5, 5, 5, 5}},
      {NULL, 3, {7, 7, 7, 7}},
      {NULL, 6, {1, 2, 3, 4}},
      END},
     {{NULL, 6, {2, 10, 2, 3}}, {NULL, 58, {0, 65535, 0, 0}}, END}},
    {"masks of two VRFs with all registers named",
     "SETMASK 1\nCOMPUTE_DONE\nCOMPUTE 1 1\nSETMASK 2\nCOMPUTE 0 0\nINC 6 6\nMOV 3 2\nINC 6 6\n"
     "COMPUTE_DONE\nCOMPUTE 0 0\nUNMASK\n",
     32,
     false,
     {{NULL, 1, {1, 0, 1, 0}},
      {NULL, 3, {9, 9, 9, 9}},
      {"RFH1.VRF1", 2, {0, 1, 1, 0}},
      {"RFH1.VRF1", 3, {0, 0, 1, 0}},
      END},
     {{NULL, 6, {2, 0, 2, 0}}, {"RFH1.VRF1", 6, {0, 1, 2, 0}}, END}},
    {"words of 64 bits with all registers named: saved in other VRFs",
     "COMPUTE 0 2\nCOMPUTE 1 2\nSETMASK 4\nMAC8 1 2 3\nMSB_PRED 1\nUNMASK\nRELUv1 1 6\n"
     "if 60,61<-(1 > 3)\nMUL8 1 2 7\nendif\n",
     64,
     false,
     {{NULL, 1, {0x85, 3, 2, UINT64_C(1) << 63}},
      {NULL, 2, {7, 7, 7, 7}},
      {NULL, 4, {1, 1, 0, 1}},
      {NULL, 5, {UINT64_C(1) << 60, 2, 3, 4}},
      {"RFH1.VRF2", 1, {7, 7, 7, 7}},
      {"RFH1.VRF2", 2, {7, 7, 7, 7}},
      {"RFH1.VRF2", 4, {0, 0, 1, 1}},
      {"RFH1.VRF2", 62, {9, 9, 9, 9}},
      END},
     {{NULL, 3, {35, 21, 0, 0}},
      {NULL, 6, {0, 0, 0, UINT64_C(1) << 63}},
      {NULL, 7, {35, 0, 14, 0}},
      {"RFH1.VRF2", 3, {0, 0, 49, 49}},
      {"RFH1.VRF2", 7, {49, 49, 0, 0}},
      {"RFH1.VRF2", 62, {9, 9, 9, 9}},
      END}},
    {"words of 64 bits: a register that is dead in a while, and in the lanes that leave it",
     "while 60,61<-(1 > 2)\nDEC 1 1\nMUL8 1 3 7\nendwhile\nINIT1 8\n",
     64,
     false,
     {{NULL, 1, {4, 1, 2, 9}},
      {NULL, 2, {1, 1, 1, 1}},
      {NULL, 3, {5, 5, 5, 5}},
      {NULL, 7, {UINT64_C(1) << 60, 2, 3, 4}},
      {NULL, 8, {9, 9, 9, 9}},
      {NULL, 9, {UINT64_C(3) << 62, 8, 8, 8}},
      END},
     {{NULL, 1, {1, 1, 1, 1}},
      {NULL, 7, {5, 2, 5, 5}},
      {NULL, 63, {(UINT64_C(3) << 62) + 6, 11, 14, 14}},
      END}},
    {"words of 64 bits: a register that is dead in a loop",
     "INIT0 9\ntop:\nINC 1 1\nMSB_PRED 3\nGETMASK 8\nif 60,61<-(1 > 2)\nMOV 8 7\nendif\n"
     "INC 9 9\nCMPEQ 9 4\nJUMP_COND top\nGETMASK 8\nINIT0 9\n",
     64,
     false,
     {{NULL, 1, {4, 0, 0, 0}},
      {NULL, 2, {2, 2, 9, 9}},
      {NULL, 3, {UINT64_C(1) << 63, UINT64_C(1) << 63, UINT64_C(1) << 63, 1}},
      {NULL, 4, {3, 3, 3, 3}},
      {NULL, 8, {7, 7, 7, 7}},
      END},
     {{NULL, 1, {7, 3, 3, 3}}, {NULL, 7, {UINT64_MAX, UINT64_MAX, 0, 0}}, END}},
    {"a while compares a register whose word lies above scratch with the highest one",
     "for(k=0;k<5;k+=1)\nfor(i=0;i<5;i+=1)\nMOV [i] [i]\nendfor\nfor(i=6;i<63;i+=1)\nMOV [i] [i]\nendfor\nendfor\n"
     "if 60,61<-(1 > 2)\nwhile 58,59<-(63 > 5)\nDEC 63 63\nendwhile\nendif\n",
     8,
     false,
     {{NULL, 1, {9, 9, 9, 0}},
      {NULL, 2, {5, 5, 5, 5}},
      {NULL, 5, {1, 2, 3, 4}},
      {NULL, 63, {7, 7, 2, 7}},
      END},
     {{NULL, 5, {1, 2, 3, 4}}, {NULL, 63, {1, 3, 4, 11}}, END}},
};

static void test_full(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof full_cases / sizeof *full_cases; i++)
        run_full(&full_cases[i]);
}

/* A loop that names all registers, of words that leave no room above them, has none to lend. */
static void test_registers(void **state) {
    (void)state;
    static const char *const body =
        "top:\nINV_TORUS\nfor(k=0;k<64;k+=1)\nADD [k] 3 [k]\nendfor\nJUMP_COND top\n";
    struct erc_options options = {.width = 64};
    struct str source = {0}, messages = {0};
    write_full(&source, body);
    assert_null(import_object(str_text(&source), &options, &messages));
    if (!strstr(str_text(&messages), "10:1: error: this loop needs a register"))
        fail_msg("%s", str_text(&messages));
    str_free(&source);
    str_free(&messages);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_programs),      cmocka_unit_test(test_messages),
        cmocka_unit_test(test_full_messages), cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_full),          cmocka_unit_test(test_registers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
