// trace_dat_option: the options of a trace.dat file: their numbers, and what one of them adds to a TraceDat.
#pragma once
#include "base/bytes.h"
#include "base/types.h"
#include "data/trace_dat/trace_dat.h"

namespace peregrine::data {

enum class TraceDatOption : u16 {
  Done = 0,
  Date = 1,
  Buffer = 3,
  TraceClock = 4,
  Uname = 5,
  Offset = 7,
  CpuCount = 8,
  Version = 9,
  TimeShift = 12,
  CyclesToTime = 14,
  HeaderInfo = 16,
  FtraceFormats = 17,
  EventFormats = 18,
  Kallsyms = 19,
  PrintkFormats = 20,
  CommandLines = 21,
  BufferText = 22,
};

// Sections have the numbers of their options.
inline constexpr u16 kOptionsSection = 0;
inline constexpr u16 kPackedSection = 1;  // a flag

// Does nothing for options that say where other parts are, and for unknown ones.
void apply_trace_dat_option(u16 option, Bytes value, ByteOrder order, TraceDat& file);

}  // namespace peregrine::data
