#include "analysis/hist/picture/stack_table.h"

#include <fmt/format.h>

#include <utility>

#include "machine/dso/own_vdso.h"

namespace peregrine {

CodeKind code_kind(char level, bool has_symbol, std::string_view dso) {
  if (level == 'k' || level == 'g')
    return dso.starts_with("[kernel") || dso.starts_with("[guest") || dso.contains("vmlinux") ? CodeKind::Kernel
                                                                                              : CodeKind::Module;
  if (dso.starts_with("[JIT]")) return CodeKind::Jit;
  if (!has_symbol) return CodeKind::Unresolved;
  return dso.contains(".so") || is_vdso_name(dso) ? CodeKind::Library : CodeKind::Application;
}

std::string unresolved_name(std::string_view dso) {
  return dso.starts_with('[') ? std::string(dso) : fmt::format("[{}]", dso);
}

StackTable::StackTable() {
  text("");
  frame({text("all"), 0, CodeKind::All});
  stacks_.emplace_back();
}

u32 StackTable::frame(const StackFrame& frame) {
  const auto hash = [](const StackFrame& at) {
    return mix_bits(u64{at.name} << 32 | at.dso) ^ static_cast<u8>(at.kind);
  };
  const u32 id = frame_index_.find_or_add(
      hash(frame), static_cast<u32>(frames_.size()), [&](u32 row) { return frames_[row] == frame; },
      [&](u32 row) { return hash(frames_[row]); });
  if (id == frames_.size()) frames_.push_back(frame);
  return id;
}

u32 StackTable::child(u32 parent, u32 frame) {
  if (frames_[frame].kind == CodeKind::Unresolved && parent != 0 && stacks_[parent].frame == frame) return parent;
  const Stack wanted{parent, frame};
  const auto hash = [](const Stack& at) { return mix_bits(u64{at.parent} << 32 | at.frame); };
  const u32 id = stack_index_.find_or_add(
      hash(wanted), static_cast<u32>(stacks_.size()), [&](u32 row) { return stacks_[row] == wanted; },
      [&](u32 row) { return hash(stacks_[row]); });
  if (id == stacks_.size()) stacks_.push_back(wanted);
  return id;
}

void StackTable::take(std::vector<std::string>& texts, std::vector<StackFrame>& frames, std::vector<Stack>& stacks) {
  for (u32 at = 0; at < texts_.size(); ++at) texts.emplace_back(texts_.view(StringId(at)));
  frames = std::move(frames_);
  stacks = std::move(stacks_);
}

}  // namespace peregrine
