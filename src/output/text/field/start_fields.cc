// The columns at the start of every line, of samples and of side-band records: thread, CPU, mode, times.
#include <ctime>
#include <string>
#include <string_view>

#include "abi/record.h"
#include "abi/record_rows.h"
#include "base/text/text_buffer.h"
#include "base/types.h"
#include "output/text/field/sample_line.h"
#include "output/text/field/script_field_rows.h"
#include "output/text/format/printable.h"
#include "output/text/format/script_text.h"
#include "output/text/format/seconds_text.h"

namespace peregrine {
namespace {

// Writes ".496900" from the nanoseconds since the start of the second.
void put_fraction(ScriptText& out, u32 rest, bool nanoseconds) {
  out.put('.');
  if (nanoseconds)
    out.put_decimal(rest, 9, '0');
  else
    out.put_six_digits(rest / 1000);
}

}  // namespace

namespace field_text {

void comm(LineStart& line) {
  ScriptText& out = line.out;
  std::string_view comm = line.comm;
  std::string safe;
  if (!is_printable(comm)) {
    safe = printable(comm);
    comm = safe;
  }
  out.room(kFieldRoom + comm.size());
  if (line.state.plan.latency)
    out.put_right(comm.substr(0, 8), 8);
  else if (line.event.comm_padded)
    out.put_right(comm, 16);
  else
    out.put(comm);
  out.put(' ');
}

// Writes pid, tid or both: "    7/8     ".
void thread(LineStart& line) {
  ScriptText& out = line.out;
  const u64 fields = line.event.fields;
  if ((fields & script_field::Pid) == 0) {
    out.put_signed(static_cast<i32>(line.sample.tid), 5);
    out.put(' ');
    return;
  }
  out.put_signed(static_cast<i32>(line.sample.pid), 5);
  if ((fields & script_field::Tid) != 0) {
    out.put('/');
    const std::size_t before = out.size();
    out.put_signed(static_cast<i32>(line.sample.tid));
    const std::size_t length = out.size() - before;
    if (length < 5) out.fill(' ', 5 - length);
  }
  out.put(' ');
}

void cpu(LineStart& line) {
  ScriptText& out = line.out;
  if (line.state.plan.latency) {
    out.put_signed(static_cast<i32>(line.sample.cpu), 3);
    out.put(' ');
    return;
  }
  out.put('[');
  out.put_signed(static_cast<i32>(line.sample.cpu), 3, '0');
  out.put("] ");
}

void mode(LineStart& line) {
  using abi::RecordType;
  ScriptText& out = line.out;
  const u16 misc = line.sample.misc;
  const auto type = line.side_band;
  const std::size_t before = out.size();
  constexpr std::string_view kModes[] = {"", "K", "U", "KUH", "G", "KGg", "UG", "KUHGg"};
  out.put(kModes[misc & 7]);
  const bool flag = (misc & abi::misc_bit::MmapData) != 0;
  if (type == RecordType::Mmap || type == RecordType::Mmap2) {
    if (flag) out.put('M');
  } else if (type == RecordType::Comm) {
    if (flag) out.put('E');
  } else if (type == RecordType::Switch || type == RecordType::SwitchCpuWide) {
    if (flag) out.put('S');
    if (flag && (misc & abi::misc_bit::SwitchOutPreempt) != 0) out.put('p');
  }
  const std::size_t length = out.size() - before;
  out.fill(' ', length < 6 ? 6 - length : 1);
}

void time(LineStart& line) {
  LineState& state = line.state;
  const u64 time = line.sample.time;
  u64 shown = time;
  if (state.plan.relative) {
    if (state.first_time == 0) state.first_time = time;
    shown = time - state.first_time;
  } else if (state.plan.delta) {
    shown = state.previous_time == 0 ? 0 : time - state.previous_time;
    state.previous_time = time;
  }
  if (shown - state.second >= kSecondInNs || state.second_length == 0) {  // most lines have the same second as the
                                                                          // previous one
    state.second = shown - shown % kSecondInNs;
    const char* const end = TextBuffer::decimal_at(state.second_text, shown / kSecondInNs, 5, ' ');
    state.second_length = static_cast<u8>(end - state.second_text);
  }
  line.out.put_padded(state.second_text, state.second_length);
  put_fraction(line.out, static_cast<u32>(shown - state.second), state.plan.nanoseconds);
  line.out.put(": ");
}

// Writes "2026-11-21 20:27:42.496900 "; nothing if the recording has no clock reference.
void time_of_day(LineStart& line) {
  LineState& state = line.state;
  const auto& clock = state.plan.clock;
  if (!clock) return;
  const u64 wall = clock->wall_clock_ns + line.sample.time - clock->clock_ns;
  const auto second = static_cast<std::time_t>(wall / kSecondInNs);
  if (second != state.day_second) {
    std::tm parts{};
    char date[64] = "";
    if (::localtime_r(&second, &parts) != nullptr) std::strftime(date, sizeof date, "%F %H:%M:%S", &parts);
    state.day_text = date;
    state.day_second = second;
  }
  line.out.put(state.day_text);
  put_fraction(line.out, static_cast<u32>(wall % kSecondInNs), state.plan.nanoseconds);
  line.out.put(' ');
}

}  // namespace field_text
}  // namespace peregrine
