// SPDX-License-Identifier: MIT
// Calls for what the machines have not: buffers of cores, and the work of single rows.  And the one
// that calls others.
#include "pimeval/pimeval.h"

using namespace mpu_pimeval;

namespace {

PimStatus no_rows(const char *name) {
    Call call(name);
    return call.refuse("a device gives no access to its rows");
}

} // namespace

// What is recorded is fused as it is.
PimStatus pimFuse(PimProg prog) {
    for (const std::function<PimStatus()> &one : prog.m_apis) {
        if (!one) {
            Call call("pimFuse");
            return call.refuse("an entry of the program is empty");
        }
        if (one() != PIM_OK) {
            process().failed = true; // also where it was a function of the program's own
            return PIM_ERROR;
        }
    }
    return PIM_OK;
}

PimStatus pimMAC(PimObjId, PimObjId, void *) {
    Call call("pimMAC");
    return call.refuse("the machine has no buffers");
}

PimStatus pimOpReadRowToSa(PimObjId, unsigned) {
    return no_rows("pimOpReadRowToSa");
}
PimStatus pimOpWriteSaToRow(PimObjId, unsigned) {
    return no_rows("pimOpWriteSaToRow");
}
PimStatus pimOpTRA(PimObjId, unsigned, PimObjId, unsigned, PimObjId, unsigned) {
    return no_rows("pimOpTRA");
}
PimStatus pimOpMove(PimObjId, PimRowReg, PimRowReg) {
    return no_rows("pimOpMove");
}
PimStatus pimOpSet(PimObjId, PimRowReg, bool) {
    return no_rows("pimOpSet");
}
PimStatus pimOpNot(PimObjId, PimRowReg, PimRowReg) {
    return no_rows("pimOpNot");
}
PimStatus pimOpAnd(PimObjId, PimRowReg, PimRowReg, PimRowReg) {
    return no_rows("pimOpAnd");
}
PimStatus pimOpOr(PimObjId, PimRowReg, PimRowReg, PimRowReg) {
    return no_rows("pimOpOr");
}
PimStatus pimOpNand(PimObjId, PimRowReg, PimRowReg, PimRowReg) {
    return no_rows("pimOpNand");
}
PimStatus pimOpNor(PimObjId, PimRowReg, PimRowReg, PimRowReg) {
    return no_rows("pimOpNor");
}
PimStatus pimOpXor(PimObjId, PimRowReg, PimRowReg, PimRowReg) {
    return no_rows("pimOpXor");
}
PimStatus pimOpXnor(PimObjId, PimRowReg, PimRowReg, PimRowReg) {
    return no_rows("pimOpXnor");
}
PimStatus pimOpMaj(PimObjId, PimRowReg, PimRowReg, PimRowReg, PimRowReg) {
    return no_rows("pimOpMaj");
}
PimStatus pimOpSel(PimObjId, PimRowReg, PimRowReg, PimRowReg, PimRowReg) {
    return no_rows("pimOpSel");
}
PimStatus pimOpRotateRH(PimObjId, PimRowReg) {
    return no_rows("pimOpRotateRH");
}
PimStatus pimOpRotateLH(PimObjId, PimRowReg) {
    return no_rows("pimOpRotateLH");
}
PimStatus pimOpAP(int, ...) {
    return no_rows("pimOpAP");
}
PimStatus pimOpAAP(int, int, ...) {
    return no_rows("pimOpAAP");
}
