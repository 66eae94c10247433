#include "analysis/lock/lock_callers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

#include "analysis/flat_index.h"
#include "base/types.h"
#include "machine/machine.h"
#include "machine/process/moment.h"

namespace peregrine {

bool LockCallers::is_lock_code(const Machine& machine, u64 address) {
  if (!lock_code_) {
    lock_code_.emplace();
    const DsoId kernel = machine.kernel_dso();
    const auto start_of = [&](std::string_view name) -> u64 {
      if (!kernel) return 0;
      const auto found = machine.dsos().symbols(kernel).find_name(name);
      return found.empty() ? 0 : found.front().start;
    };
    for (const auto& [from, to] :
         {std::pair{"__sched_text_start", "__sched_text_end"}, std::pair{"__lock_text_start", "__lock_text_end"}})
      lock_code_->push_back({start_of(from), start_of(to)});
  }
  return std::ranges::any_of(*lock_code_,
                             [&](const Range& range) { return address >= range.from && address < range.to; });
}

u64 LockCallers::follow(const Resolver::Context& context, std::span<const u64> callchain, Resolver& resolver) {
  frames_.clear();
  addresses_.clear();
  resolver.chain(context, callchain, max_stack_, frames_, &addresses_);
  u64 key = 0;
  caller_ = frames_.size();
  for (std::size_t i = skip_; i < frames_.size(); ++i) {
    if (resolver.at(frames_[i]).symbol && is_lock_code(resolver.machine(), addresses_[i])) continue;
    key = mix_bits(key ^ addresses_[i]);
    caller_ = std::min(caller_, i);
  }
  return key;
}

std::string LockCallers::frame_text(std::size_t i, Resolver& resolver) const {
  if (i >= frames_.size()) return {};
  const Frame& frame = resolver.at(frames_[i]);
  return frame.symbol ? fmt::format("{}+{:#x}", resolver.symbol_name(frame), resolver.symbol_offset(frame))
                      : std::string();
}

std::string LockCallers::name(Resolver& resolver) const {
  std::string text = frame_text(caller_, resolver);
  return text.empty() ? "Unknown" : text;
}

bool LockCallers::has_function(std::span<const std::string> texts, Resolver& resolver) const {
  return std::ranges::any_of(frames_, [&](FrameId id) {
    const Frame& frame = resolver.at(id);
    const std::string_view name = frame.symbol ? resolver.symbol_name(frame) : std::string_view();
    return std::ranges::any_of(texts, [&](const std::string& text) { return name.find(text) != name.npos; });
  });
}

std::vector<std::string> LockCallers::stack(Resolver& resolver) const {
  std::vector<std::string> stack;
  for (std::size_t i = 0; i < frames_.size(); ++i)
    stack.push_back(fmt::format("{:#x}  {}", addresses_[i], frame_text(i, resolver)));
  return stack;
}

}  // namespace peregrine
