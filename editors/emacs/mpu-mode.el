;;; mpu-mode.el --- ezpim, MPU assembly and recipes -*- lexical-binding: t -*-
;; SPDX-License-Identifier: MIT
;; Generated from isa-spec/ by isa-gen; edit the tables.
;;; Code:

(defconst ezpim-font-lock-keywords
  `(
    (,(regexp-opt
       '("size" "const" "host" "group" "mpus" "in" "out" "inout"
         "var" "main" "sub" "compute" "let" "like" "at" "on"
         "if" "else" "while" "do" "for" "unroll" "repeat" "move"
         "wrap" "break" "continue" "return" "extern" "clobbers" "include" "recipe"
         "assert" "print" "mark" "sync" "asm" "compact" "where" "send"
         "recv" "barrier" "broadcast" "scatter" "gather" "allgather" "reduce" "allreduce"
         "alltoall" "transpose" "consumed" "clip" "as" "inf" "nan" "buffer"
         "kernel" "module" "pipeline" "launch" "units" "from" "entry" "bytes")
       'symbols) . font-lock-keyword-face)
    (,(regexp-opt
       '("true" "false")
       'symbols) . font-lock-constant-face)
    (,(regexp-opt
       '("min" "max" "select" "floordiv" "floormod" "sum" "any" "all"
         "count" "argmin" "argmax" "scan" "prod" "product" "sort" "length"
         "index" "sqrt" "floor" "ceil" "trunc" "rint" "isnan" "isinf"
         "isfinite" "signbit" "mov" "init0" "init1" "add" "sub" "inc"
         "dec" "neg" "abs" "mul" "mac" "qdiv" "rdiv" "sdiv"
         "srem" "fldiv" "flmod" "relu" "cmpeq" "cmpne" "cmpgt" "cmplt"
         "cmpge" "cmple" "cmpgts" "cmplts" "cmpges" "cmples" "fuzzy" "maxs"
         "mins" "mux" "sel" "and" "nand" "nor" "or" "xor"
         "xnor" "inv" "bflip" "popc" "lshift" "shl" "shr" "sar"
         "fadd" "fsub" "fmul" "fdiv" "fsqrt" "fcmpeq" "fcmplt" "fcmple"
         "fcmpun" "fneg" "fabs" "fmin" "fmax" "fsign" "fzero" "bfadd"
         "bfsub" "bfmul" "bfdiv" "bfsqrt" "bfcmpeq" "bfcmplt" "bfcmple" "bfcmpun"
         "bfneg" "bfabs" "bfmin" "bfmax" "bfsign" "bfzero")
       'symbols) . font-lock-builtin-face)
    (,(regexp-opt
       '("ABS" "ADD" "ADDI" "AND" "ANDI" "ANDMASK" "ANDNMASK" "ASSERT"
         "BFABS" "BFADD" "BFCMPEQ" "BFCMPLE" "BFCMPLT" "BFCMPUN" "BFDIV" "BFLIP"
         "BFMAX" "BFMIN" "BFMUL" "BFNEG" "BFSIGN" "BFSQRT" "BFSUB" "BFZERO"
         "CAS" "CASS" "CMPEQ" "CMPEQI" "CMPGE" "CMPGES" "CMPGT" "CMPGTI"
         "CMPGTS" "CMPLE" "CMPLES" "CMPLT" "CMPLTI" "CMPLTS" "CMPNE" "COMPUTE"
         "COMPUTEG" "COMPUTE_DONE" "CVT" "DEC" "FABS" "FADD" "FCMPEQ" "FCMPLE"
         "FCMPLT" "FCMPUN" "FDIV" "FLDIV" "FLMOD" "FMAX" "FMIN" "FMUL"
         "FNEG" "FSIGN" "FSQRT" "FSUB" "FUZZY" "FZERO" "GETC" "GETMASK"
         "GMOVE" "GOTO" "HALT" "INC" "INDEX" "INIT0" "INIT1" "INV"
         "JUMP" "JUMP_ANY" "JUMP_COND" "JUMP_NONE" "LANE" "LI" "LIK1" "LIK2"
         "LIK3" "LIK4" "LIK5" "LSHIFT" "LUT" "MAC" "MARK" "MAX"
         "MAXS" "MEMCPY" "MIN" "MINS" "MOV" "MOVE" "MOVE_DONE" "MPU_SYNC"
         "MUL" "MULI" "MULP" "MUX" "NAND" "NEG" "NOP" "NOR"
         "OR" "POPC" "PRINT" "QDIV" "QRDIV" "RDIV" "RECIPE" "RECV"
         "RELU" "REPEAT" "REPEAT_END" "RETURN" "SAR" "SARI" "SDIV" "SEL"
         "SEND" "SEND_DONE" "SETC" "SETMASK" "SEXT" "SHL" "SHLI" "SHR"
         "SHRI" "SREM" "SUB" "UNMASK" "XNOR" "XOR" "ZEXT")
       'symbols) . font-lock-function-name-face)
    ("\\_<\\(?:bool\\|[iu][0-9]+\\|b?f[0-9]+\\)\\_>" . font-lock-type-face)
    ("\\_<\\(?:RFH\\|VRF\\|MPU\\)[0-9]+" . font-lock-constant-face)
    ("\\_<\\(?:[0-9][0-9_]*\\.[0-9][0-9_]*\\(?:[eE][-+]?[0-9]+\\)?\\|[0-9]+[eE][-+][0-9]+\\|[0-9][0-9A-Za-z_]*\\)\\_>" . font-lock-constant-face)
    )
  "What is highlighted in ezpim.")

(defvar ezpim-mode-syntax-table
  (let ((table (make-syntax-table)))
    (modify-syntax-entry ?_ "_" table)
    (modify-syntax-entry ?\n ">" table)
    (modify-syntax-entry ?/ ". 124b" table)
    (modify-syntax-entry ?* ". 23" table)
    (modify-syntax-entry ?\n "> b" table)
    table)
  "Syntax table of ezpim.")

;;;###autoload
(define-derived-mode ezpim-mode prog-mode "ezpim"
  "Major mode for ezpim."
  (setq-local comment-start "// ")
  (setq-local comment-end "")
  (setq-local indent-tabs-mode nil)
  (setq-local font-lock-defaults '(ezpim-font-lock-keywords nil nil)))

;;;###autoload
(add-to-list 'auto-mode-alist '("\\.ez\\'" . ezpim-mode))

(defconst mpuasm-font-lock-keywords
  `(
    (,(regexp-opt
       '("cond" "else" "wrap" "clip" "keep" "in" "out" "inout"
         "consumed" "as" "first" "split" "shape" "local" "like" "at"
         "dup" "identity" "shift" "rotate" "gather" "bytes" "entry" "scatter"
         "reverse" "broadcast" "clobber" "min" "max")
       'symbols) . font-lock-keyword-face)
    (,(concat "\\." (regexp-opt
       '("assert" "buffer" "constant" "data" "debug_lines" "endfinish" "endkernel" "endm"
         "endmodule" "endr" "endsub" "equ" "error" "file" "finish" "geometry"
         "global" "group" "include" "kernel" "launch" "length" "loc" "lut"
         "macro" "mark" "module" "move" "mpu" "print" "product" "recipe"
         "rept" "set" "show" "signature" "size" "source" "sub" "value"
         "var" "width" "if" "ifdef" "ifndef" "elif" "else" "endif")
       'words)) . font-lock-preprocessor-face)
    (,(regexp-opt
       '("ABS" "ADD" "ADDI" "AND" "ANDI" "ANDMASK" "ANDNMASK" "ASSERT"
         "BFABS" "BFADD" "BFCMPEQ" "BFCMPLE" "BFCMPLT" "BFCMPUN" "BFDIV" "BFLIP"
         "BFMAX" "BFMIN" "BFMUL" "BFNEG" "BFSIGN" "BFSQRT" "BFSUB" "BFZERO"
         "CAS" "CASS" "CMPEQ" "CMPEQI" "CMPGE" "CMPGES" "CMPGT" "CMPGTI"
         "CMPGTS" "CMPLE" "CMPLES" "CMPLT" "CMPLTI" "CMPLTS" "CMPNE" "COMPUTE"
         "COMPUTEG" "COMPUTE_DONE" "CVT" "DEC" "FABS" "FADD" "FCMPEQ" "FCMPLE"
         "FCMPLT" "FCMPUN" "FDIV" "FLDIV" "FLMOD" "FMAX" "FMIN" "FMUL"
         "FNEG" "FSIGN" "FSQRT" "FSUB" "FUZZY" "FZERO" "GETC" "GETMASK"
         "GMOVE" "GOTO" "HALT" "INC" "INDEX" "INIT0" "INIT1" "INV"
         "JUMP" "JUMP_ANY" "JUMP_COND" "JUMP_NONE" "LANE" "LI" "LIK1" "LIK2"
         "LIK3" "LIK4" "LIK5" "LSHIFT" "LUT" "MAC" "MARK" "MAX"
         "MAXS" "MEMCPY" "MIN" "MINS" "MOV" "MOVE" "MOVE_DONE" "MPU_SYNC"
         "MUL" "MULI" "MULP" "MUX" "NAND" "NEG" "NOP" "NOR"
         "OR" "POPC" "PRINT" "QDIV" "QRDIV" "RDIV" "RECIPE" "RECV"
         "RELU" "REPEAT" "REPEAT_END" "RETURN" "SAR" "SARI" "SDIV" "SEL"
         "SEND" "SEND_DONE" "SETC" "SETMASK" "SEXT" "SHL" "SHLI" "SHR"
         "SHRI" "SREM" "SUB" "UNMASK" "XNOR" "XOR" "ZEXT")
       'symbols) . font-lock-function-name-face)
    ("\\_<\\(?:bool\\|[iu][0-9]+\\|b?f[0-9]+\\)\\_>" . font-lock-type-face)
    ("\\_<[rR][0-9]+\\_>" . font-lock-variable-name-face)
    ("\\_<\\(?:RFH\\|VRF\\|MPU\\)[0-9]+" . font-lock-constant-face)
    ("\\_<\\(?:[0-9][0-9_]*\\.[0-9][0-9_]*\\(?:[eE][-+]?[0-9]+\\)?\\|[0-9]+[eE][-+][0-9]+\\|[0-9][0-9A-Za-z_]*\\)\\_>" . font-lock-constant-face)
    )
  "What is highlighted in MPU assembly.")

(defvar mpuasm-mode-syntax-table
  (let ((table (make-syntax-table)))
    (modify-syntax-entry ?\; "< b" table)
    (modify-syntax-entry ?_ "_" table)
    (modify-syntax-entry ?\n ">" table)
    (modify-syntax-entry ?/ ". 124b" table)
    (modify-syntax-entry ?* ". 23" table)
    (modify-syntax-entry ?\n "> b" table)
    table)
  "Syntax table of MPU assembly.")

;;;###autoload
(define-derived-mode mpuasm-mode prog-mode "MPU assembly"
  "Major mode for MPU assembly."
  (setq-local comment-start "// ")
  (setq-local comment-end "")
  (setq-local indent-tabs-mode nil)
  (setq-local font-lock-defaults '(mpuasm-font-lock-keywords nil t)))

;; For .s files: M-x mpuasm-mode, or -*- mode: mpuasm -*- in the first line.

(defconst mpurecipe-font-lock-keywords
  `(
    (,(regexp-opt
       '("recipe" "sub" "instruction" "opcode" "any" "needs" "for" "generic"
         "mapped" "rows" "in" "serial" "par" "step" "downto" "down"
         "carry" "let" "at" "if" "else" "arith" "computes" "unlike"
         "expect" "gains" "costs")
       'symbols) . font-lock-keyword-face)
    (,(regexp-opt
       '("w" "zero" "one" "valid" "sections")
       'symbols) . font-lock-constant-face)
    (,(regexp-opt
       '("not" "and" "or" "xor" "mux" "maj" "s")
       'symbols) . font-lock-builtin-face)
    (,(regexp-opt
       '("ABS" "ADD" "ADDI" "AND" "ANDI" "ANDMASK" "ANDNMASK" "ASSERT"
         "BFABS" "BFADD" "BFCMPEQ" "BFCMPLE" "BFCMPLT" "BFCMPUN" "BFDIV" "BFLIP"
         "BFMAX" "BFMIN" "BFMUL" "BFNEG" "BFSIGN" "BFSQRT" "BFSUB" "BFZERO"
         "CAS" "CASS" "CMPEQ" "CMPEQI" "CMPGE" "CMPGES" "CMPGT" "CMPGTI"
         "CMPGTS" "CMPLE" "CMPLES" "CMPLT" "CMPLTI" "CMPLTS" "CMPNE" "COMPUTE"
         "COMPUTEG" "COMPUTE_DONE" "CVT" "DEC" "FABS" "FADD" "FCMPEQ" "FCMPLE"
         "FCMPLT" "FCMPUN" "FDIV" "FLDIV" "FLMOD" "FMAX" "FMIN" "FMUL"
         "FNEG" "FSIGN" "FSQRT" "FSUB" "FUZZY" "FZERO" "GETC" "GETMASK"
         "GMOVE" "GOTO" "HALT" "INC" "INDEX" "INIT0" "INIT1" "INV"
         "JUMP" "JUMP_ANY" "JUMP_COND" "JUMP_NONE" "LANE" "LI" "LIK1" "LIK2"
         "LIK3" "LIK4" "LIK5" "LSHIFT" "LUT" "MAC" "MARK" "MAX"
         "MAXS" "MEMCPY" "MIN" "MINS" "MOV" "MOVE" "MOVE_DONE" "MPU_SYNC"
         "MUL" "MULI" "MULP" "MUX" "NAND" "NEG" "NOP" "NOR"
         "OR" "POPC" "PRINT" "QDIV" "QRDIV" "RDIV" "RECIPE" "RECV"
         "RELU" "REPEAT" "REPEAT_END" "RETURN" "SAR" "SARI" "SDIV" "SEL"
         "SEND" "SEND_DONE" "SETC" "SETMASK" "SEXT" "SHL" "SHLI" "SHR"
         "SHRI" "SREM" "SUB" "UNMASK" "XNOR" "XOR" "ZEXT")
       'symbols) . font-lock-function-name-face)
    ("\\_<\\(?:[0-9][0-9_]*\\.[0-9][0-9_]*\\(?:[eE][-+]?[0-9]+\\)?\\|[0-9]+[eE][-+][0-9]+\\|[0-9][0-9A-Za-z_]*\\)\\_>" . font-lock-constant-face)
    )
  "What is highlighted in MPU recipe.")

(defvar mpurecipe-mode-syntax-table
  (let ((table (make-syntax-table)))
    (modify-syntax-entry ?_ "_" table)
    (modify-syntax-entry ?\n ">" table)
    (modify-syntax-entry ?# "<" table)
    table)
  "Syntax table of MPU recipe.")

;;;###autoload
(define-derived-mode mpurecipe-mode prog-mode "MPU recipe"
  "Major mode for MPU recipe."
  (setq-local comment-start "# ")
  (setq-local comment-end "")
  (setq-local indent-tabs-mode nil)
  (setq-local font-lock-defaults '(mpurecipe-font-lock-keywords nil nil)))

;;;###autoload
(add-to-list 'auto-mode-alist '("\\.recipe\\'" . mpurecipe-mode))

(provide 'mpu-mode)
;;; mpu-mode.el ends here
