/* SPDX-License-Identifier: MIT
 * The calls of PIMeval on emulated memory processing units: programs that were written for its
 * library compile against this header and run on any machine that keeps vectors (docs/pimeval.md).
 *
 *     c++ -std=c++17 prog.cpp $(pkg-config --cflags --libs mpu-pimeval)
 *     MPU_TARGET=mimdram ./a.out
 *
 * One device a process, for one thread.  Calls are recorded and carried out when a result is read
 * (docs/arrays.md).  A call that is refused says on standard output why, after "PIM-Error:" and its
 * own name, writes nothing and returns PIM_ERROR, or -1 where an object is asked for; after the
 * first one the process ends with 1, whatever main returns. */
#ifndef MPU_PIMEVAL_LIBPIMEVAL_H
#define MPU_PIMEVAL_LIBPIMEVAL_H

#include <cstdarg>
#include <cstdint>
#include <functional>
#include <vector>

#if defined(__GNUC__)
#define MPU_PIMEVAL_API __attribute__((visibility("default")))
#else
#define MPU_PIMEVAL_API
#endif

enum PimStatus { PIM_ERROR = 0, PIM_OK = 1 };

/* Machines that a program may ask for.  It decides what pimGetDeviceProperties says, and nothing
 * about results: the machine that works is MPU_TARGET of the environment. */
enum PimDeviceEnum {
    PIM_DEVICE_NONE = 0,
    PIM_FUNCTIONAL,
    PIM_DEVICE_BITSIMD_V,
    PIM_DEVICE_BITSIMD_V_NAND,
    PIM_DEVICE_BITSIMD_V_MAJ,
    PIM_DEVICE_BITSIMD_V_AP,
    PIM_DEVICE_DRISA_NOR,
    PIM_DEVICE_DRISA_MIXED,
    PIM_DEVICE_SIMDRAM,
    PIM_DEVICE_BITSIMD_H,
    PIM_DEVICE_FULCRUM,
    PIM_DEVICE_BANK_LEVEL,
    PIM_DEVICE_AQUABOLT,
    PIM_DEVICE_AIM
};

enum PimDeviceProtocolEnum {
    PIM_DEVICE_PROTOCOL_DDR = 0,
    PIM_DEVICE_PROTOCOL_LPDDR,
    PIM_DEVICE_PROTOCOL_HBM,
    PIM_DEVICE_PROTOCOL_GDDR
};

/* Layouts: vertical or horizontal, those with a 1 in one place of each core. */
enum PimAllocEnum { PIM_ALLOC_AUTO = 0, PIM_ALLOC_V, PIM_ALLOC_H, PIM_ALLOC_V1, PIM_ALLOC_H1 };

enum PimCopyEnum { PIM_COPY_V = 0, PIM_COPY_H };

/* On the host a BOOL is a byte, 0 or not, an integer has its width, and every floating-point type
 * is a float, as which it is also kept and computed. */
enum PimDataType {
    PIM_BOOL = 0,
    PIM_INT8,
    PIM_INT16,
    PIM_INT32,
    PIM_INT64,
    PIM_UINT8,
    PIM_UINT16,
    PIM_UINT32,
    PIM_UINT64,
    PIM_FP32,
    PIM_FP16,
    PIM_BF16,
    PIM_FP8
};

/* Row registers, of the calls of single rows at the end. */
enum PimRowReg {
    PIM_RREG_NONE = 0,
    PIM_RREG_SA,
    PIM_RREG_R1,
    PIM_RREG_R2,
    PIM_RREG_R3,
    PIM_RREG_R4,
    PIM_RREG_R5,
    PIM_RREG_R6,
    PIM_RREG_R7,
    PIM_RREG_R8,
    PIM_RREG_R9,
    PIM_RREG_R10,
    PIM_RREG_R11,
    PIM_RREG_R12,
    PIM_RREG_R13,
    PIM_RREG_R14,
    PIM_RREG_R15,
    PIM_RREG_R16,
    PIM_RREG_MAX
};

typedef int PimCoreId;
typedef int PimObjId; /* from 0 in each device, never given twice; -1: none */

struct PimDeviceProperties {
    PimDeviceEnum deviceType = PIM_DEVICE_NONE;
    PimDeviceEnum simTarget = PIM_DEVICE_NONE;
    unsigned numRanks = 0;
    unsigned numBankPerRank = 0;
    unsigned numSubarrayPerBank = 0;
    unsigned numRowPerSubarray = 0;
    unsigned numColPerSubarray = 0;
    unsigned numPIMCores = 0;
    bool isHLayoutDevice = false;
};

/* Calls to be made one after another by pimFuse. */
struct PimProg {
    std::vector<std::function<PimStatus()>> m_apis;

    template <typename... Args> void add(PimStatus (*api)(Args...), Args... args) {
        m_apis.push_back([=]() { return api(args...); });
    }
};

/* ---- the session ----
 * The figures are those of the machine, by call; a timer tells the host's time and the machine's
 * between its two calls.  All four carry out what is recorded. */
MPU_PIMEVAL_API void pimStartTimer();
MPU_PIMEVAL_API void pimEndTimer();
MPU_PIMEVAL_API void pimShowStats();
MPU_PIMEVAL_API void pimResetStats();
/* Always false: everything is carried out. */
MPU_PIMEVAL_API bool pimIsAnalysisMode();

/* ---- the device ----
 * A second one takes the place of the first, whose objects are gone.  The numbers of ranks and so
 * on are what the properties give back. */
MPU_PIMEVAL_API PimStatus pimCreateDevice(PimDeviceEnum deviceType, unsigned numRanks,
                                          unsigned numBankPerRank, unsigned numSubarrayPerBank,
                                          unsigned numRows, unsigned numCols,
                                          unsigned bufferSize = 0);
MPU_PIMEVAL_API PimStatus pimCreateDeviceFromConfig(PimDeviceEnum deviceType,
                                                    const char *configFileName);
MPU_PIMEVAL_API PimStatus pimGetDeviceProperties(PimDeviceProperties *deviceProperties);
MPU_PIMEVAL_API PimStatus pimDeleteDevice();

/* ---- objects ----
 * Elements of a new one are 0.  Operations on several objects want them associated. */
MPU_PIMEVAL_API PimObjId pimAlloc(PimAllocEnum allocType, uint64_t numElements,
                                  PimDataType dataType);
MPU_PIMEVAL_API PimObjId pimAllocAssociated(PimObjId assocId, PimDataType dataType);
MPU_PIMEVAL_API PimObjId pimAllocBuffer(uint32_t numElements, PimDataType dataType); /* -1 */
MPU_PIMEVAL_API PimStatus pimFree(PimObjId obj);
MPU_PIMEVAL_API PimObjId pimCreateRangedRef(PimObjId refId, uint64_t idxBegin,
                                            uint64_t idxEnd); /* -1 */
/* A view with all bits inverted, when it is read and when it is written. */
MPU_PIMEVAL_API PimObjId pimCreateDualContactRef(PimObjId refId);

/* ---- copies ----
 * Of elements idxBegin .. idxEnd - 1, the first of which the host's pointer points at; 0, 0: all.
 */
MPU_PIMEVAL_API PimStatus pimCopyHostToDevice(void *src, PimObjId dest, uint64_t idxBegin = 0,
                                              uint64_t idxEnd = 0);
MPU_PIMEVAL_API PimStatus pimCopyDeviceToHost(PimObjId src, void *dest, uint64_t idxBegin = 0,
                                              uint64_t idxEnd = 0);
MPU_PIMEVAL_API PimStatus pimCopyDeviceToDevice(PimObjId src, PimObjId dest, uint64_t idxBegin = 0,
                                                uint64_t idxEnd = 0);
MPU_PIMEVAL_API PimStatus pimCopyHostToDeviceWithType(PimCopyEnum copyType, void *src,
                                                      PimObjId dest, uint64_t idxBegin = 0,
                                                      uint64_t idxEnd = 0);
MPU_PIMEVAL_API PimStatus pimCopyDeviceToHostWithType(PimCopyEnum copyType, PimObjId src,
                                                      void *dest, uint64_t idxBegin = 0,
                                                      uint64_t idxEnd = 0);
MPU_PIMEVAL_API PimStatus pimCopyObjectToObject(PimObjId src, PimObjId dest);
MPU_PIMEVAL_API PimStatus pimConvertType(PimObjId src, PimObjId dest);

/* ---- element by element ---- */
MPU_PIMEVAL_API PimStatus pimAdd(PimObjId src1, PimObjId src2, PimObjId dest);
MPU_PIMEVAL_API PimStatus pimSub(PimObjId src1, PimObjId src2, PimObjId dest);
MPU_PIMEVAL_API PimStatus pimMul(PimObjId src1, PimObjId src2, PimObjId dest);
/* Elements that would be divided by 0 stay; a line says it when something is read. */
MPU_PIMEVAL_API PimStatus pimDiv(PimObjId src1, PimObjId src2, PimObjId dest);
MPU_PIMEVAL_API PimStatus pimAnd(PimObjId src1, PimObjId src2, PimObjId dest);
MPU_PIMEVAL_API PimStatus pimOr(PimObjId src1, PimObjId src2, PimObjId dest);
MPU_PIMEVAL_API PimStatus pimXor(PimObjId src1, PimObjId src2, PimObjId dest);
MPU_PIMEVAL_API PimStatus pimXnor(PimObjId src1, PimObjId src2, PimObjId dest);
MPU_PIMEVAL_API PimStatus pimMin(PimObjId src1, PimObjId src2, PimObjId dest);
MPU_PIMEVAL_API PimStatus pimMax(PimObjId src1, PimObjId src2, PimObjId dest);
MPU_PIMEVAL_API PimStatus pimGT(PimObjId src1, PimObjId src2, PimObjId destBool);
MPU_PIMEVAL_API PimStatus pimLT(PimObjId src1, PimObjId src2, PimObjId destBool);
MPU_PIMEVAL_API PimStatus pimEQ(PimObjId src1, PimObjId src2, PimObjId destBool);
MPU_PIMEVAL_API PimStatus pimNE(PimObjId src1, PimObjId src2, PimObjId destBool);
MPU_PIMEVAL_API PimStatus pimAbs(PimObjId src, PimObjId dest);
MPU_PIMEVAL_API PimStatus pimNot(PimObjId src, PimObjId dest);
MPU_PIMEVAL_API PimStatus pimPopCount(PimObjId src, PimObjId dest);
MPU_PIMEVAL_API PimStatus pimPrefixSum(PimObjId src, PimObjId dest);

/* Scalars are numbers of 64 bits, with or without a sign as the type of src has one, and are not
 * cut to that type first; of floating point, the bits of a float. */
MPU_PIMEVAL_API PimStatus pimAddScalar(PimObjId src, PimObjId dest, uint64_t scalarValue);
MPU_PIMEVAL_API PimStatus pimSubScalar(PimObjId src, PimObjId dest, uint64_t scalarValue);
MPU_PIMEVAL_API PimStatus pimMulScalar(PimObjId src, PimObjId dest, uint64_t scalarValue);
MPU_PIMEVAL_API PimStatus pimDivScalar(PimObjId src, PimObjId dest, uint64_t scalarValue);
MPU_PIMEVAL_API PimStatus pimAndScalar(PimObjId src, PimObjId dest, uint64_t scalarValue);
MPU_PIMEVAL_API PimStatus pimOrScalar(PimObjId src, PimObjId dest, uint64_t scalarValue);
MPU_PIMEVAL_API PimStatus pimXorScalar(PimObjId src, PimObjId dest, uint64_t scalarValue);
MPU_PIMEVAL_API PimStatus pimXnorScalar(PimObjId src, PimObjId dest, uint64_t scalarValue);
MPU_PIMEVAL_API PimStatus pimMinScalar(PimObjId src, PimObjId dest, uint64_t scalarValue);
MPU_PIMEVAL_API PimStatus pimMaxScalar(PimObjId src, PimObjId dest, uint64_t scalarValue);
MPU_PIMEVAL_API PimStatus pimGTScalar(PimObjId src, PimObjId destBool, uint64_t scalarValue);
MPU_PIMEVAL_API PimStatus pimLTScalar(PimObjId src, PimObjId destBool, uint64_t scalarValue);
MPU_PIMEVAL_API PimStatus pimEQScalar(PimObjId src, PimObjId destBool, uint64_t scalarValue);
MPU_PIMEVAL_API PimStatus pimNEScalar(PimObjId src, PimObjId destBool, uint64_t scalarValue);
/* src1 times the scalar, plus src2. */
MPU_PIMEVAL_API PimStatus pimScaledAdd(PimObjId src1, PimObjId src2, PimObjId dest,
                                       uint64_t scalarValue);

MPU_PIMEVAL_API PimStatus pimShiftBitsRight(PimObjId src, PimObjId dest, unsigned shiftAmount);
MPU_PIMEVAL_API PimStatus pimShiftBitsLeft(PimObjId src, PimObjId dest, unsigned shiftAmount);
MPU_PIMEVAL_API PimStatus pimBitSliceExtract(PimObjId src, PimObjId destBool, unsigned bitIdx);
MPU_PIMEVAL_API PimStatus pimBitSliceInsert(PimObjId srcBool, PimObjId dest, unsigned bitIdx);
MPU_PIMEVAL_API PimStatus pimCondCopy(PimObjId condBool, PimObjId src, PimObjId dest);
MPU_PIMEVAL_API PimStatus pimCondBroadcast(PimObjId condBool, uint64_t scalarBits, PimObjId dest);
MPU_PIMEVAL_API PimStatus pimCondSelect(PimObjId condBool, PimObjId src1, PimObjId src2,
                                        PimObjId dest);
MPU_PIMEVAL_API PimStatus pimCondSelectScalar(PimObjId condBool, PimObjId src1, uint64_t scalarBits,
                                              PimObjId dest);
/* The bits, cut to an element's, whatever the type. */
MPU_PIMEVAL_API PimStatus pimBroadcastInt(PimObjId dest, int64_t value);
MPU_PIMEVAL_API PimStatus pimBroadcastUInt(PimObjId dest, uint64_t value);
MPU_PIMEVAL_API PimStatus pimBroadcastFP(PimObjId dest, float value);
/* A table of 256 bytes. */
MPU_PIMEVAL_API PimStatus pimAesSbox(PimObjId src, PimObjId dest, const std::vector<uint8_t> &lut);
MPU_PIMEVAL_API PimStatus pimAesInverseSbox(PimObjId src, PimObjId dest,
                                            const std::vector<uint8_t> &lut);

/* ---- between elements ----
 * In place, by one element; right is from i to i + 1. */
MPU_PIMEVAL_API PimStatus pimRotateElementsRight(PimObjId src);
MPU_PIMEVAL_API PimStatus pimRotateElementsLeft(PimObjId src);
MPU_PIMEVAL_API PimStatus pimShiftElementsRight(PimObjId src);
MPU_PIMEVAL_API PimStatus pimShiftElementsLeft(PimObjId src);
/* What *result has takes part: for a sum an int64_t (BOOL and types without a sign: a uint64_t;
 * floating point: a float), else an element. */
MPU_PIMEVAL_API PimStatus pimRedSum(PimObjId src, void *sum, uint64_t idxBegin = 0,
                                    uint64_t idxEnd = 0);
MPU_PIMEVAL_API PimStatus pimRedMin(PimObjId src, void *min, uint64_t idxBegin = 0,
                                    uint64_t idxEnd = 0);
MPU_PIMEVAL_API PimStatus pimRedMax(PimObjId src, void *max, uint64_t idxBegin = 0,
                                    uint64_t idxEnd = 0);

/* Calls of the program up to the first that is refused. */
MPU_PIMEVAL_API PimStatus pimFuse(PimProg prog);

/* ---- what machines of this library have not: PIM_ERROR ----
 * Products with a buffer of each core, and the work of single rows. */
MPU_PIMEVAL_API PimStatus pimMAC(PimObjId src1, PimObjId src2, void *dest);
MPU_PIMEVAL_API PimStatus pimOpReadRowToSa(PimObjId src, unsigned ofst);
MPU_PIMEVAL_API PimStatus pimOpWriteSaToRow(PimObjId src, unsigned ofst);
MPU_PIMEVAL_API PimStatus pimOpTRA(PimObjId src1, unsigned ofst1, PimObjId src2, unsigned ofst2,
                                   PimObjId src3, unsigned ofst3);
MPU_PIMEVAL_API PimStatus pimOpMove(PimObjId obj, PimRowReg src, PimRowReg dest);
MPU_PIMEVAL_API PimStatus pimOpSet(PimObjId obj, PimRowReg src, bool value);
MPU_PIMEVAL_API PimStatus pimOpNot(PimObjId obj, PimRowReg src, PimRowReg dest);
MPU_PIMEVAL_API PimStatus pimOpAnd(PimObjId obj, PimRowReg src1, PimRowReg src2, PimRowReg dest);
MPU_PIMEVAL_API PimStatus pimOpOr(PimObjId obj, PimRowReg src1, PimRowReg src2, PimRowReg dest);
MPU_PIMEVAL_API PimStatus pimOpNand(PimObjId obj, PimRowReg src1, PimRowReg src2, PimRowReg dest);
MPU_PIMEVAL_API PimStatus pimOpNor(PimObjId obj, PimRowReg src1, PimRowReg src2, PimRowReg dest);
MPU_PIMEVAL_API PimStatus pimOpXor(PimObjId obj, PimRowReg src1, PimRowReg src2, PimRowReg dest);
MPU_PIMEVAL_API PimStatus pimOpXnor(PimObjId obj, PimRowReg src1, PimRowReg src2, PimRowReg dest);
MPU_PIMEVAL_API PimStatus pimOpMaj(PimObjId obj, PimRowReg src1, PimRowReg src2, PimRowReg src3,
                                   PimRowReg dest);
MPU_PIMEVAL_API PimStatus pimOpSel(PimObjId obj, PimRowReg cond, PimRowReg src1, PimRowReg src2,
                                   PimRowReg dest);
MPU_PIMEVAL_API PimStatus pimOpRotateRH(PimObjId obj, PimRowReg src);
MPU_PIMEVAL_API PimStatus pimOpRotateLH(PimObjId obj, PimRowReg src);
MPU_PIMEVAL_API PimStatus pimOpAP(int numSrc, ...);
MPU_PIMEVAL_API PimStatus pimOpAAP(int numSrc, int numDest, ...);

#endif
