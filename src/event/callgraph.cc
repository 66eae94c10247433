#include "event/callgraph.h"

#include "sys/root.h"

namespace peregrine {

namespace {
constexpr u64 kLargestStack = 65528;  // the record's size field has 16 bits; the dump is a multiple of 8
}

Result<CallgraphRequest> parse_callgraph(std::string_view text) {
  const auto comma = text.find(',');
  const auto mode = trim(text.substr(0, comma));
  const bool has_size = comma != std::string_view::npos;
  CallgraphRequest request;
  if (mode == "fp" || mode == "lbr") {
    if (has_size) return fail(ErrorKind::Usage, "callchain: No more arguments needed for --call-graph {}", mode);
    request.mode = mode == "fp" ? CallgraphMode::FramePointer : CallgraphMode::Lbr;
    return request;
  }
  if (mode != "dwarf") {
    Error error{ErrorKind::Usage, fmt::format("callchain: Unknown --call-graph option value: {}", text)};
    error.hint = "the ways to record call chains are fp, dwarf[,BYTES] and lbr";
    return std::unexpected(std::move(error));
  }
  request.mode = CallgraphMode::Dwarf;
  if (!has_size) return request;
  const auto size = to_number(trim(text.substr(comma + 1)));
  const u64 rounded = size ? (*size + 7) / 8 * 8 : 0;
  if (!size || rounded == 0 || rounded > kLargestStack)
    return fail(ErrorKind::Usage, "callchain: Incorrect stack dump size (max {}): {}", kLargestStack,
                text.substr(comma + 1));
  request.stack_bytes = static_cast<u32>(rounded);
  return request;
}

}  // namespace peregrine
