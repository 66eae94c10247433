// What the kernel's function tracers write to trace_pipe, as `ftrace` reads it: in pieces of any size, with the same
// result. The first byte chooses the mode and the options, the second the size of the pieces.
#include <cstdlib>

#include "cmd/ftrace/ftrace_reader.h"
#include "input.h"

namespace peregrine {
namespace {

struct Read {
  std::string text;
  u64 lost = 0;
  friend bool operator==(const Read&, const Read&) = default;
};

Read read_pieces(cmd::FtraceMode mode, const cmd::FtraceOptions& options, std::string_view text, std::size_t size) {
  Sink out;
  cmd::FtraceReader reader(mode, options, out);
  std::string pending;
  while (!text.empty()) {
    pending.append(text.substr(0, size));
    text.remove_prefix(std::min(size, text.size()));
    reader.take(pending);
  }
  if (!reader.finish()) std::abort();
  return {out.take(), reader.lost()};
}

}  // namespace

void fuzz_ftrace_text(Bytes bytes) {
  if (bytes.size() < 2) return;
  constexpr cmd::FtraceMode kModes[] = {cmd::FtraceMode::Trace, cmd::FtraceMode::Latency, cmd::FtraceMode::Profile};
  constexpr std::string_view kOrders[] = {"total", "avg", "max", "count", "name"};
  const unsigned choice = static_cast<u8>(bytes[0]);
  cmd::FtraceOptions options;
  options.nanoseconds = (choice & 4) != 0;
  options.hide_empty = (choice & 8) != 0;
  options.bucket_range = (choice & 16) != 0 ? 3 : 0;
  options.least = (choice & 32) != 0 ? 2 : 0;
  options.most = (choice & 64) != 0 ? 9 : 0;
  options.sort = kOrders[choice % std::size(kOrders)];
  const cmd::FtraceMode mode = kModes[choice % 4 % std::size(kModes)];
  const std::string_view text = as_text(bytes.subspan(2));
  const Read whole = read_pieces(mode, options, text, text.size());
  if (whole != read_pieces(mode, options, text, static_cast<u8>(bytes[1]) + std::size_t{1})) std::abort();
  if (mode == cmd::FtraceMode::Trace && !text.starts_with(whole.text)) std::abort();
}

}  // namespace peregrine
