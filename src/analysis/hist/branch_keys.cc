#include "analysis/hist/branch_keys.h"

namespace peregrine {

u64 branch_value(SortKey key, const BranchHit& branch) {
  switch (key) {
    case SortKey::DsoFrom:
    case SortKey::SymbolFrom:
    case SortKey::LineFrom:
    case SortKey::AddressFrom:
      return branch.from.value;
    case SortKey::DsoTo:
    case SortKey::SymbolTo:
    case SortKey::LineTo:
    case SortKey::AddressTo:
      return branch.to.value;
    case SortKey::Mispredict:
      return branch.entry.mispredicted ? 2 : branch.entry.predicted ? 1 : 0;
    case SortKey::InTransaction:
      return branch.entry.in_transaction ? 1 : 0;
    case SortKey::Abort:
      return branch.entry.abort ? 1 : 0;
    case SortKey::Cycles:
      return branch.entry.cycles;
    default:
      return 0;
  }
}

std::string_view branch_word(SortKey key, u64 value) {
  if (key == SortKey::InTransaction) return value != 0 ? "T" : ".";
  if (key == SortKey::Abort) return value != 0 ? "A" : ".";
  return value == 2 ? "Y" : value == 1 ? "N" : "N/A";
}

HistFrameId BranchFrames::find(HistFrameTable& frames, Resolver& resolver, const Resolver::Context& context,
                               u64 address) {
  const FrameId frame = resolver.frame_anywhere(context, address);
  if (frame.value >= known_.size())
    known_.resize(std::max<std::size_t>(resolver.frame_count(), frame.value + 1), HistFrameId::kNone);
  u32& known = known_[frame.value];
  if (known == HistFrameId::kNone) {
    const Frame& at = resolver.at(frame);
    HistFrame end{.dso = at.dso ? at.dso.value : HistFrame::kNone, .level = frame_letter(at.kind)};
    if (at.symbol) end.symbol = at.symbol.value;
    if (!at.symbol || addresses_) end.address = end.dso_address = at.address;
    if (lines_) end.line = sources_->shown_line(resolver, at).value;
    known = frames.intern(end).value;
  }
  return HistFrameId(known);
}

}  // namespace peregrine
