#include "event/config/callgraph.h"

#include <fmt/format.h>

#include <expected>
#include <utility>

#include "base/number/parse_number.h"
#include "base/text/trim.h"

namespace peregrine {

namespace {

constexpr u64 kLargestStack = 65528;  // the record's size field has 16 bits, and the dump is a multiple of 8

// Parses the part after "fp,".
Result<CallgraphRequest> parse_frame_pointers(std::string_view word) {
  constexpr u64 kMostFrames = 0xffff;  // limit of attr.sample_max_stack
  CallgraphRequest request{.mode = CallgraphMode::FramePointer};
  request.deferred = word == "defer";
  if (request.deferred) return request;
  const auto frames = to_number(word);
  if (!frames || *frames == 0 || *frames > kMostFrames)
    return std::unexpected(
        Error{ErrorKind::Usage, fmt::format("callchain: Unknown argument of --call-graph fp: {}", word)}.with_hint(
            fmt::format("fp takes a number of frames (1 to {}) or 'defer'", kMostFrames)));
  request.max_frames = static_cast<u16>(*frames);
  return request;
}

}  // namespace

Result<CallgraphRequest> parse_callgraph(std::string_view text) {
  const auto comma = text.find(',');
  const auto mode = trim(text.substr(0, comma));
  const bool has_size = comma != std::string_view::npos;
  CallgraphRequest request;
  if (mode == "fp" && has_size) return parse_frame_pointers(trim(text.substr(comma + 1)));
  if (mode == "fp" || mode == "lbr") {
    if (has_size) return fail(ErrorKind::Usage, "callchain: No more arguments needed for --call-graph {}", mode);
    request.mode = mode == "fp" ? CallgraphMode::FramePointer : CallgraphMode::Lbr;
    return request;
  }
  if (mode != "dwarf") {
    Error error{ErrorKind::Usage, fmt::format("callchain: Unknown --call-graph option value: {}", text)};
    error.hint = "must be one of fp[,FRAMES|,defer], dwarf[,BYTES], lbr";
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
