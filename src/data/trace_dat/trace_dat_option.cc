#include "data/trace_dat/trace_dat_option.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "abi/sample.h"
#include "base/number/parse_number.h"
#include "base/text/bracketed.h"
#include "base/text/trim.h"

namespace peregrine::data {
namespace {

constexpr u32 kInterpolate = 1;  // a flag of TimeShift

// A decimal or hexadecimal number, possibly negative; 0 if it is invalid.
u64 signed_number(std::string_view text) {
  text = trim(text);
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  const u64 value = to_number(text).value_or(0);
  return negative ? 0 - value : value;
}

// trace id | flags | CPUs, each: count, times, offsets, scalings | fractions of all
void apply_time_shift(ByteReader in, TraceDatClock& clock) {
  in.get64();
  clock.interpolate = (in.get32() & kInterpolate) != 0;
  const u32 cpus = in.get32();
  if (cpus > in.left() / 4) return;
  std::vector<std::vector<ClockShift>> shifts(cpus);
  for (auto& of_cpu : shifts) {
    const u32 count = in.get32();
    if (!in.ok() || count > in.left() / 24) return;
    of_cpu.resize(count);
    for (ClockShift& shift : of_cpu) shift.time = in.get64();
    for (ClockShift& shift : of_cpu) shift.offset = static_cast<i64>(in.get64());
    for (ClockShift& shift : of_cpu) shift.scaling = in.get64();
  }
  for (auto& of_cpu : shifts) {
    for (ClockShift& shift : of_cpu)
      if (in.left() >= 8) shift.fraction = static_cast<u32>(std::min<u64>(in.get64(), 64));
    std::ranges::sort(of_cpu, {}, &ClockShift::time);
  }
  clock.shifts = std::move(shifts);
}

}  // namespace

void apply_trace_dat_option(u16 option, Bytes value, ByteOrder order, TraceDat& file) {
  ByteReader in(value, order);
  switch (static_cast<TraceDatOption>(option)) {
    case TraceDatOption::Date:  // in microseconds
      file.clock.offset =
          static_cast<i64>(static_cast<u64>(file.clock.offset) + signed_number(up_to_nul(value)) * 1000);
      file.dated = true;
      break;
    case TraceDatOption::Offset:
      file.clock.offset = static_cast<i64>(static_cast<u64>(file.clock.offset) + signed_number(up_to_nul(value)));
      break;
    case TraceDatOption::TraceClock:
      file.clock_name = bracketed(up_to_nul(value));  // "[local] global counter"
      break;
    case TraceDatOption::Uname:
      file.uname = up_to_nul(value);
      break;
    case TraceDatOption::CpuCount:
      if (const u32 cpus = in.get32(); cpus <= abi::kMostCpus) file.cpus = cpus;
      break;
    case TraceDatOption::Version:
      file.writer = up_to_nul(value);
      break;
    case TraceDatOption::TimeShift:
      apply_time_shift(in, file.clock);
      break;
    case TraceDatOption::CyclesToTime: {
      const u32 multiplier = in.get32(), shift = in.get32();
      if (!in.ok()) break;
      file.clock.multiplier = multiplier;
      file.clock.shift = shift;
      break;
    }
    default:
      break;
  }
}

}  // namespace peregrine::data
