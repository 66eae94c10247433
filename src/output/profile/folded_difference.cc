#include "output/profile/folded_difference.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "base/types.h"
#include "output/text/format/printable.h"

namespace peregrine {
namespace {

std::string label(const StackProfile& profile, u32 frame, const FoldedDifference& request) {
  std::string text = printable(profile.name(frame));
  std::ranges::replace(text, ';', ':');
  switch (profile.frames[frame].kind) {
    case CodeKind::Kernel:
    case CodeKind::Module:
      if (request.mark_kernel) text += "_[k]";
      break;
    case CodeKind::Jit:
      if (request.mark_jit) text += "_[j]";
      break;
    case CodeKind::Inlined:
      if (request.mark_inlined) text += "_[i]";
      break;
    default:
      break;
  }
  return text;
}

std::vector<u64> sums(const StackProfile& profile, u32 series, bool by_count) {
  std::vector<u64> sums(profile.stacks.size(), 0);
  for (const StackWeight& weight : profile.series[series].weights)
    sums[weight.stack] += by_count ? weight.samples : weight.period;
  return sums;
}

}  // namespace

void print_folded_difference(Sink& out, const StackProfile& profile, const FoldedDifference& request) {
  const std::vector<u64> before = sums(profile, request.before, request.by_count);
  const std::vector<u64> after = sums(profile, request.after, request.by_count);
  std::vector<std::string> labels;
  labels.reserve(profile.frames.size());
  for (u32 frame = 0; frame < profile.frames.size(); ++frame) labels.push_back(label(profile, frame, request));
  std::vector<std::pair<std::string, u32>> lines;
  for (u32 stack = 1; stack < profile.stacks.size(); ++stack) {
    if (before[stack] == 0 && after[stack] == 0) continue;
    std::vector<u32> path;
    for (u32 at = stack; at != 0; at = profile.stacks[at].parent) path.push_back(profile.stacks[at].frame);
    std::string text;
    for (std::size_t at = path.size(); at-- > 0;) text += (text.empty() ? "" : ";") + labels[path[at]];
    lines.emplace_back(std::move(text), stack);
  }
  std::ranges::sort(lines);
  for (const auto& [text, stack] : lines)
    out.append(text).append(' ').decimal(before[stack]).append(' ').decimal(after[stack]).append('\n');
}

}  // namespace peregrine
