// EtmDecoder: decodes CoreSight traces of ETMv4 and ETE to executed code, with the library OpenCSD.
//
//   bytes ─▶ frames (of several processors) ─▶ packets ─▶ walk through code ─▶ EtmSink
//
// The library is optional and loaded on first use (Debian's libopencsd1). Trace ids identify processors. Trace format:
// Arm IHI0064 (ETM), IHI0029 (CoreSight). Not thread safe.
#pragma once
#include <cstddef>
#include <memory>
#include <span>

#include "base/bytes.h"
#include "base/result.h"
#include "base/types.h"

namespace peregrine::auxtrace {

// A processor's trace unit registers when tracing was enabled.
struct EtmRegisters {
  bool ete = false;  // Embedded Trace Extension
  u32 idr0 = 0, idr1 = 0, idr2 = 0, idr8 = 0;
  u32 config = 0, trace_id = 0;
  u32 devarch = 0;  // of ETE
};

enum class EtmBranch : u8 { None, Direct, Conditional, Indirect, Call, Return, ExceptionReturn };

// Instructions executed in sequence.
struct EtmRange {
  u64 start = 0, end = 0;  // exclusive
  u32 instructions = 0;
  u8 last_size = 0;                    // bytes of the last one
  EtmBranch branch = EtmBranch::None;  // kind of the last one
  bool taken = false;                  // the branch was taken
  bool thumb = false;                  // 2- or 4-byte instructions; else 4-byte
};

class EtmSink {
 public:
  virtual ~EtmSink() = default;
  virtual void range(u8 trace_id, const EtmRange& range) = 0;
  // An exception after the last range. Numbers: Arm IHI0064, "Exception instruction trace packet".
  virtual void exception(u8 trace_id, u32 number) = 0;
  // A discontinuity in the trace.
  virtual void gap(u8 trace_id) = 0;
  // The thread id that the kernel wrote to a traced register.
  virtual void context(u8 trace_id, u32 context) = 0;
  // Reads code at `address`; returns the number of available bytes, up to out.size().
  virtual std::size_t read_code(u8 trace_id, u64 address, std::span<std::byte> out) = 0;
};

class EtmDecoder {
 public:
  // `formatted`: the trace consists of frames with data of several processors; else of a single one. `sink` must
  // outlive this. Errors: Unsupported, the library is missing (or was at build time), or it rejects the registers.
  static Result<std::unique_ptr<EtmDecoder>> open(std::span<const EtmRegisters> processors, bool formatted,
                                                  EtmSink& sink);
  // Whether open() would find the library. Errors: Unsupported.
  static Result<> check();
  virtual ~EtmDecoder() = default;
  // Starts a trace; resets the state.
  virtual void begin() = 0;
  // Decodes the next part, a multiple of 16 bytes. False if it is damaged; nothing is decoded until begin().
  virtual bool decode(Bytes part) = 0;
  // Flushes pending output.
  virtual void end() = 0;
};

}  // namespace peregrine::auxtrace
