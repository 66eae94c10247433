#include "session/block/block_choice.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <expected>
#include <optional>
#include <ranges>
#include <string_view>

#include "abi/blktrace_record.h"
#include "base/text/words.h"

namespace peregrine {

namespace {

namespace trait = abi::block_trait;

// The names of blktrace's masks. `letter`: in the kind of a request; 0: the mask names actions.
struct BlockMask {
  std::string_view name;
  u16 trait;
  char letter = 0;
};
constexpr std::array kBlockMasks = {
    BlockMask{"read", trait::Read, 'R'},      BlockMask{"write", trait::Write, 'W'},
    BlockMask{"flush", trait::Flush, 'F'},    BlockMask{"sync", trait::Sync, 'S'},
    BlockMask{"queue", trait::Queue},         BlockMask{"requeue", trait::Requeue},
    BlockMask{"issue", trait::Issue},         BlockMask{"complete", trait::Complete},
    BlockMask{"fs", trait::FileSystem},       BlockMask{"pc", trait::Passthrough, 'N'},
    BlockMask{"notify", trait::Notice},       BlockMask{"ahead", trait::Ahead, 'A'},
    BlockMask{"meta", trait::Meta, 'M'},      BlockMask{"discard", trait::Discard, 'D'},
    BlockMask{"drv_data", trait::DriverData}, BlockMask{"fua", trait::ForceUnit, 'F'},
};
constexpr u16 kActionTraits = trait::Queue | trait::Requeue | trait::Issue | trait::Complete | trait::DriverData;

std::string device_filter(const BlockChoice& choice) {
  std::vector<std::string> terms;
  for (const u32 device : choice.devices) terms.push_back(fmt::format("dev == {}", device));
  return terms.size() > 1 ? fmt::format("({})", fmt::join(terms, " || ")) : fmt::format("{}", fmt::join(terms, ""));
}

std::string kind_filter(const BlockChoice& choice) {
  std::vector<std::string> terms;
  for (const BlockMask& mask : kBlockMasks)
    if ((choice.traits & mask.trait) != 0 && mask.letter != 0)
      terms.push_back(fmt::format("rwbs ~ \"*{}*\"", mask.letter));
  // A discard is a write as well.
  if ((choice.traits & trait::Write) != 0) terms.emplace_back("rwbs ~ \"*D*\"");
  return terms.empty() ? std::string() : fmt::format("({})", fmt::join(terms, " || "));
}

}  // namespace

bool BlockChoice::takes(const BlockEvent& event) const {
  const abi::BlktraceRecord& record = event.record;
  if (record.has(trait::Notice)) return true;
  if (traits != 0 && !record.has(traits)) return false;
  return devices.empty() || std::ranges::find(devices, record.device) != devices.end();
}

Result<BlockChoice> choose_block_events(std::span<const std::string> devices, std::span<const std::string> masks,
                                        const BlockNames& names) {
  BlockChoice choice;
  for (const std::string& word : devices) {
    const auto number = names.find(word);
    if (!number) return std::unexpected(number.error());
    for (const u32 device : names.with_partitions(*number)) choice.devices.push_back(device);
  }
  for (const std::string& list : masks)
    for (const std::string& word : split_words(list)) {
      const auto mask = std::ranges::find(kBlockMasks, std::string_view(word), &BlockMask::name);
      if (mask == kBlockMasks.end())
        return fail(ErrorKind::Usage, "invalid -a '{}': must be one of {}", word,
                    fmt::join(kBlockMasks | std::views::transform(&BlockMask::name), ", "));
      choice.traits |= mask->trait;
    }
  return choice;
}

std::optional<std::string> kernel_filter(const BlockTracepoint& tracepoint, const BlockChoice& choice) {
  const bool by_action = (choice.traits & abi::traits_of(tracepoint.action) & kActionTraits) != 0;
  if (!tracepoint.has_device) return choice.traits == 0 || by_action ? std::optional(std::string()) : std::nullopt;
  std::string filter = device_filter(choice);
  if (choice.traits == 0 || by_action) return filter;
  const std::string kinds = kind_filter(choice);
  if (kinds.empty()) return std::nullopt;
  return filter.empty() ? kinds : fmt::format("{} && {}", filter, kinds);
}

}  // namespace peregrine
