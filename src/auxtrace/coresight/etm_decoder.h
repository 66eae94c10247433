// EtmDecoder: CoreSight traces of ETMv4 and ETE → what the processors executed, by the library OpenCSD.
//
//   bytes ─▶ frames (of several processors) ─▶ packets ─▶ walk through code ─▶ EtmSink
//
// The library is loaded at first use and may be missing: Debian's libopencsd1. Trace ids are what processors are told
// apart by. Format of the trace: Arm IHI0064 (ETM), IHI0029 (CoreSight). Not thread safe.
#pragma once
#include <memory>
#include <span>

#include "base/bytes.h"
#include "base/result.h"

namespace peregrine::auxtrace {

// Registers of a processor's trace unit when it was switched on.
struct EtmRegisters {
  bool ete = false;  // Embedded Trace Extension
  u32 idr0 = 0, idr1 = 0, idr2 = 0, idr8 = 0;
  u32 config = 0, trace_id = 0;
  u32 devarch = 0;  // of ETE
};

enum class EtmBranch : u8 { None, Direct, Conditional, Indirect, Call, Return, ExceptionReturn };

// Instructions that were executed one after the other.
struct EtmRange {
  u64 start = 0, end = 0;  // exclusive
  u32 instructions = 0;
  u8 last_size = 0;                    // bytes of the last one
  EtmBranch branch = EtmBranch::None;  // what the last one is
  bool taken = false;                  // it branched
  bool thumb = false;                  // instructions of 2 or 4 bytes; else 4
};

class EtmSink {
 public:
  virtual ~EtmSink() = default;
  virtual void range(u8 trace_id, const EtmRange& range) = 0;
  // An exception interrupts after the last range. Numbers: Arm IHI0064, "Exception instruction trace packet".
  virtual void exception(u8 trace_id, u32 number) = 0;
  // What was executed before has nothing to do with what follows.
  virtual void gap(u8 trace_id) = 0;
  // The thread, as the kernel wrote it into a register that is traced.
  virtual void context(u8 trace_id, u32 context) = 0;
  // How many bytes of code there are at `address`, up to out.size().
  virtual std::size_t read_code(u8 trace_id, u64 address, std::span<std::byte> out) = 0;
};

class EtmDecoder {
 public:
  // `formatted`: the trace is one of frames, with the data of several processors; else of the only one. `sink` outlives
  // it. Errors: Unsupported, the library is missing (or was when this program was built); registers that it refuses.
  static Result<std::unique_ptr<EtmDecoder>> open(std::span<const EtmRegisters> processors, bool formatted,
                                                  EtmSink& sink);
  // Whether open() finds the library. Errors: Unsupported.
  static Result<> check();
  virtual ~EtmDecoder() = default;
  // A trace begins: nothing before it counts.
  virtual void begin() = 0;
  // The next part of it, of a multiple of 16 bytes. False: it is damaged, and nothing is decoded up to begin().
  virtual bool decode(Bytes part) = 0;
  // What waits for more is put out.
  virtual void end() = 0;
};

}  // namespace peregrine::auxtrace
