// Text that the kernel's function tracers write to trace_pipe, as `ftrace` reads it: in pieces of any size, with the
// same result. The first byte chooses the mode and the options, the second the size of the pieces.
#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/types.h"
#include "input.h"
#include "output/sink.h"
#include "session/ftrace/ftrace_reader.h"
#include "session/ftrace/ftrace_request.h"

namespace peregrine {
namespace {

struct Read {
  std::string text;
  u64 lost = 0;
  friend bool operator==(const Read&, const Read&) = default;
};

Read read_pieces(const FtraceRequest& request, std::string_view text, std::size_t size) {
  Sink out;
  FtraceReader reader(request, {}, out);
  std::string pending;
  while (!text.empty()) {
    pending.append(text.substr(0, size));
    text.remove_prefix(std::min(size, text.size()));
    reader.take(pending);
  }
  reader.finish();
  return {out.take(), reader.lost()};
}

}  // namespace

void fuzz_ftrace_text(Bytes bytes) {
  if (bytes.size() < 2) return;
  constexpr FtraceMode kModes[] = {FtraceMode::Trace, FtraceMode::Latency, FtraceMode::Profile};
  constexpr FunctionOrder kOrders[] = {FunctionOrder::Total, FunctionOrder::Average, FunctionOrder::Most,
                                       FunctionOrder::Calls, FunctionOrder::Name};
  const unsigned choice = static_cast<u8>(bytes[0]);
  FtraceRequest request;
  request.nanoseconds = (choice & 4) != 0;
  request.hide_empty = (choice & 8) != 0;
  request.bucket_range = (choice & 16) != 0 ? 3 : 0;
  request.least = (choice & 32) != 0 ? 2 : 0;
  request.most = (choice & 64) != 0 ? 9 : 0;
  request.order = kOrders[choice % std::size(kOrders)];
  request.mode = kModes[choice % 4 % std::size(kModes)];
  const std::string_view text = as_text(bytes.subspan(2));
  const Read whole = read_pieces(request, text, text.size());
  if (whole != read_pieces(request, text, static_cast<u8>(bytes[1]) + std::size_t{1})) std::abort();
  if (request.mode == FtraceMode::Trace && !text.starts_with(whole.text)) std::abort();
}

}  // namespace peregrine
