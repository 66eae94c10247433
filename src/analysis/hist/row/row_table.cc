#include "analysis/hist/row/row_table.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>

#include "abi/record.h"
#include "analysis/flat_index.h"
#include "analysis/hist/chain/chain_tree.h"
#include "analysis/hist/chain/hist_frame.h"
#include "analysis/hist/entry/group_table.h"
#include "analysis/hist/key/access_parts.h"
#include "analysis/hist/key/naming.h"
#include "base/container/string_pool.h"
#include "base/types.h"

namespace peregrine {
namespace {

constexpr u32 kOtherEvent = 0xffffffffu;
constexpr u32 kNoMember = 0xffffffffu;
constexpr u32 kMemberFirst = 0x80000000u;

// The distinct values of one column, and for each group the index of its value.
struct DistinctValues {
  std::vector<u64> values;
  std::vector<u32> of_group;
};
DistinctValues distinct_values(const GroupTable& groups, std::size_t column) {
  DistinctValues result;
  result.of_group.reserve(groups.size());
  FlatIndex index;
  for (u32 group = 0; group < groups.size(); ++group) {
    const u64 value = groups[GroupId(group)][column];
    const u32 at = index.find_or_add(
        mix_bits(value), static_cast<u32>(result.values.size()),
        [&](u32 other) { return result.values[other] == value; },
        [&](u32 other) { return mix_bits(result.values[other]); });
    if (at == result.values.size()) result.values.push_back(value);
    result.of_group.push_back(at);
  }
  return result;
}

}  // namespace

int group_column(const std::vector<SortKey>& keys, SortKey key) {
  int column = 1;
  for (const SortKey each : keys) {
    if (each->source == KeySource::Frame) continue;
    if (each == key) return column;
    ++column;
  }
  return -1;
}

std::size_t group_width(const std::vector<SortKey>& keys, GroupTail tail) {
  const auto in_group = [](SortKey key) { return key->source != KeySource::Frame; };
  return 1 + static_cast<std::size_t>(std::ranges::count_if(keys, in_group)) + (tail == GroupTail::None ? 0 : 1);
}

RowTable::RowTable(const Hists& hists, const FaceTable& faces, Naming& naming, RowRequest request)
    : hists_(hists), faces_(faces), request_(std::move(request)) {
  find_columns();
  for (const u32 event : request_.events) {
    const EventTotals totals = hists.totals(event);
    totals_.push_back(request_.relative ? totals.shown_period : totals.period);
    if (event == request_.events[0]) chain_total_ = request_.relative ? totals.shown_chain_period : totals.chain_period;
  }
  latency_totals_.resize(members());
  rank_groups(naming);
  add_entries();
  drop_empty_parts();
  sort_rows();
  index_entries();
}

// Only distinct values are ranked. They are few, however many groups there are, and comparing two of them may mean
// comparing two texts.
void RowTable::rank_groups(Naming& naming) {
  const GroupTable& groups = hists_.groups();
  for (const SortKey key : request_.columns.keys) {
    const int column = group_column(request_.columns.keys, key);
    if (column < 0) continue;
    KeyValues values{.key = key, .column = static_cast<std::size_t>(column), .rank = {}, .texts = {}};
    const DistinctValues distinct = distinct_values(groups, values.column);
    std::vector<StringId> texts;
    if (is_text(key))
      for (const u64 value : distinct.values) texts.push_back(texts_.intern(naming.text(key, value)));
    const std::vector<u32> rank = rank_values(key, distinct.values, texts, naming);
    values.rank.reserve(groups.size());
    for (const u32 value : distinct.of_group) values.rank.push_back(rank[value]);
    if (!texts.empty())
      for (const u32 value : distinct.of_group) values.texts.push_back(texts[value]);
    values_.push_back(std::move(values));
  }
  classify_groups();
}

// The rank of each value. Values that the key does not distinguish get the same rank.
std::vector<u32> RowTable::rank_values(SortKey key, std::span<const u64> values, std::span<const StringId> texts,
                                       Naming& naming) const {
  const bool of_frames = key->source == KeySource::DataFrame;
  const bool is_signed = key->kind == KeyKind::Processor || key->kind == KeyKind::Thread;
  const auto frame = [&](u32 at) { return HistFrameId(static_cast<u32>(values[at])); };
  const auto less = [&](u32 a, u32 b) {
    if (key->kind == KeyKind::Field) return naming.order(key, values[b]) < naming.order(key, values[a]);
    if (key->kind == KeyKind::Text) return texts_.view(texts[a]) < texts_.view(texts[b]);
    if (of_frames) return frame_before(key, frame(a), frame(b));
    if (is_signed) return static_cast<i64>(values[a]) < static_cast<i64>(values[b]);
    return key->descending ? values[b] < values[a] : values[a] < values[b];
  };
  std::vector<u32> order(values.size()), ranks(values.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::sort(order, less);
  u32 rank = 0;
  for (std::size_t at = 0; at < order.size(); ++at) {
    if (at > 0 && less(order[at - 1], order[at])) ++rank;
    ranks[order[at]] = rank;
  }
  return ranks;
}

// Groups of the requested events with equal ranks form a class, identified by its first group.
void RowTable::classify_groups() {
  const GroupTable& groups = hists_.groups();
  group_class_.assign(groups.size(), kOtherEvent);
  FlatIndex index;
  const auto hash = [&](u32 group) {
    u64 result = 0;
    for (const KeyValues& values : values_) result = mix_bits(result ^ values.rank[group]) + 1;
    return result;
  };
  for (u32 group = 0; group < groups.size(); ++group) {
    if (member_of(static_cast<u32>(groups[GroupId(group)][0])) == kNoMember) continue;
    const auto equal = [&](u32 other) {
      return std::ranges::all_of(values_,
                                 [&](const KeyValues& values) { return values.rank[group] == values.rank[other]; });
    };
    group_class_[group] = index.find_or_add(hash(group), group, equal, hash);
  }
}

// Code places compare by address, as in linux-perf: functions by their start, followed by unresolved addresses.
bool RowTable::frame_before(SortKey key, HistFrameId a, HistFrameId b) const {
  switch (key->kind) {
    case KeyKind::Dso:
      // linux-perf lists the dsos of branches in descending order.
      return key->needs.has(KeyNeed::Branches) ? faces_.dso_rank(b) < faces_.dso_rank(a)
                                               : faces_.dso_rank(a) < faces_.dso_rank(b);
    case KeyKind::Line:
      return faces_.line_rank(a) < faces_.line_rank(b);
    default:
      break;
  }
  if (!key->needs.has(KeyNeed::Branches) && key->kind != KeyKind::CodePlace)
    return faces_.symbol_rank(a) < faces_.symbol_rank(b);
  const auto place = [&](HistFrameId id) {
    const FrameLook& look = faces_.look(id);
    const bool whole = key->kind == KeyKind::Symbol && look.symbol.valid();
    const u64 address = whole ? look.start : look.address;
    return std::tuple(!look.symbol.valid(), static_cast<i64>(address), whole ? look.end : 0, faces_.dso_rank(id));
  };
  return place(a) < place(b);
}

u32 RowTable::member_of(u32 event) const {
  const auto found = std::ranges::find(request_.events, event);
  return found == request_.events.end() ? kNoMember : static_cast<u32>(found - request_.events.begin());
}

u32 RowTable::row_of(u32 group, u32 face) {
  const auto hash = [](u32 g, u32 f) { return mix_bits(u64{g} << 32 | f); };
  const u32 id = index_.find_or_add(
      hash(group, face), static_cast<u32>(rows_.size()),
      [&](u32 row) { return rows_[row].group == group && rows_[row].face == face; },
      [&](u32 row) { return hash(rows_[row].group, rows_[row].face); });
  if (id == rows_.size()) {
    rows_.push_back({.group = group, .face = face, .sums = id});
    sums_.resize(rows_.size() * members());
    if (request_.by_cpumode) modes_.resize(sums_.size());
    weights_.resize(sums_.size());
    if (parts_column_ >= 0) parts_.resize(sums_.size() * kAccessParts);
  }
  return id;
}

void RowTable::touch(Row& row, const HistEntry& entry, u32 first, u32 depth, char level) {
  if (first < row.first) {
    row.first = first;
    row.thread = entry.thread;
    row.level = level;
  }
  row.depth = std::max(row.depth, depth);
}

void RowTable::add_entries() {
  const std::vector<HistEntry>& entries = hists_.entries();
  own_row_.assign(entries.size(), kNoRow);
  std::optional<CallerSums> callers;
  if (request_.children) callers.emplace(hists_.chains(), faces_);
  for (u32 at = 0; at < entries.size(); ++at) {
    const HistEntry& entry = entries[at];
    const u32 group = group_class_[entry.group];
    if (group == kOtherEvent || (!request_.kept_entries.empty() && !request_.kept_entries[at])) continue;
    const u32 member = member_of(static_cast<u32>(hists_.groups()[GroupId(entry.group)][0]));
    // Only the leader's chains are kept, so other members have no depth.
    const u32 depth = callers && member == 0 ? callers->depth(entry.chain) : 0;
    add_own(at, row_of(group, faces_.face(HistFrameId(entry.leaf)).value), member, depth);
  }
  if (callers) add_callers(*callers);
}

void RowTable::add_own(u32 entry_index, u32 own, std::size_t member, u32 depth) {
  const HistEntry& entry = hists_.entries()[entry_index];
  if (member == 0) own_row_[entry_index] = own;
  RowSums& sums = sums_[own * members() + member];
  sums.period += entry.period;
  if (!request_.children || !calls_itself(entry)) sums.children += entry.period;
  sums.samples += entry.samples;
  const std::span<const u64> values = hists_.groups()[GroupId(entry.group)];
  for (std::size_t which = 0; which < weight_columns_.size(); ++which)
    if (weight_columns_[which] >= 0)
      weights_[own * members() + member][which] +=
          values[static_cast<std::size_t>(weight_columns_[which])] * entry.samples;
  if (parts_column_ >= 0)
    for (const std::size_t part : split_access_parts(values[static_cast<std::size_t>(parts_column_)]))
      parts_[(own * members() + member) * kAccessParts + part] += entry.period;
  if (parallelism_column_ >= 0) {
    const u64 threads = values[static_cast<std::size_t>(parallelism_column_)];
    const u64 latency = entry.period * kLatencyScale / std::max<u64>(threads, 1);
    sums.latency += latency;
    latency_totals_[member] += latency;
  }
  const u32 first = std::min(entry.first, kMemberFirst - 1) | (member == 0 ? 0 : kMemberFirst);
  touch(rows_[own], entry, first, depth, hists_.frames()[HistFrameId(entry.leaf)].level);
  if (!request_.by_cpumode) return;
  ModePeriods& modes = modes_[own * members() + member];
  switch (hists_.groups()[GroupId(entry.group)].back()) {
    case abi::misc_bit::Kernel:
      modes.sys += entry.period;
      break;
    case abi::misc_bit::User:
      modes.user += entry.period;
      break;
    case abi::misc_bit::GuestKernel:
      modes.guest_sys += entry.period;
      break;
    case abi::misc_bit::GuestUser:
      modes.guest_user += entry.period;
      break;
    default:
      break;
  }
}

// Whether the sampled function is also in its own chain. add_callers() then counts the sample.
bool RowTable::calls_itself(const HistEntry& entry) const {
  const FaceId own = faces_.face(HistFrameId(entry.leaf));
  const ChainTree& chains = hists_.chains();
  for (ChainId at(entry.chain); at != kRootChain; at = chains.parent(at))
    if (faces_.face(chains.frame(at)) == own) return true;
  return false;
}

// Sums entries up the chain tree, one bucket per group class and member at a time.
void RowTable::add_callers(CallerSums& sums) {
  const std::vector<HistEntry>& entries = hists_.entries();
  std::vector<u32> start(group_class_.size() * members() + 1);
  const auto bucket_of = [&](const HistEntry& entry) {
    return group_class_[entry.group] * members() +
           member_of(static_cast<u32>(hists_.groups()[GroupId(entry.group)][0]));
  };
  const auto counts = [&](u32 at) {
    return entries[at].chain != kRootChain.value && group_class_[entries[at].group] != kOtherEvent &&
           (request_.kept_entries.empty() || request_.kept_entries[at]);
  };
  for (u32 at = 0; at < entries.size(); ++at)
    if (counts(at)) ++start[bucket_of(entries[at]) + 1];
  std::partial_sum(start.begin(), start.end(), start.begin());
  std::vector<u32> sorted(start.back()), next(start.begin(), start.end() - 1);
  for (u32 at = 0; at < entries.size(); ++at)
    if (counts(at)) sorted[next[bucket_of(entries[at])]++] = at;

  for (std::size_t bucket = 0; bucket + 1 < start.size(); ++bucket) {
    if (start[bucket] == start[bucket + 1]) continue;
    for (u32 at = start[bucket]; at < start[bucket + 1]; ++at) sums.add(entries[sorted[at]], sorted[at]);
    const auto group = static_cast<u32>(bucket / members());
    const std::size_t member = bucket % members();
    sums.sum_up([&](u32 node, const CallerSums::Node& sum) { add_caller(sums, node, sum, group, member); });
  }
}

// A recursive function counts its samples once, at its outermost node. Caller order shows the chain of the outermost
// node, callee order that of the innermost.
void RowTable::add_caller(const CallerSums& sums, u32 node, const CallerSums::Node& sum, u32 group,
                          std::size_t member) {
  const bool caller = request_.chain_order == ChainOrder::Caller, counts = sums.outermost(node);
  if (!counts && (caller || member != 0)) return;
  const u32 face = faces_.face(hists_.chains().frame(ChainId(node))).value;
  const u32 id = row_of(group, face);
  const u32 depth = member != 0 ? 0 : caller ? sum.below : sums.depth(node);
  rows_[id].depth = std::max(rows_[id].depth, depth);
  if (!counts) return;
  sums_[id * members() + member].children += sum.period;
  const u32 first = std::min(sum.first, kMemberFirst - 1) | (member == 0 ? 0 : kMemberFirst);
  if (first >= rows_[id].first) return;
  const HistEntry& entry = hists_.entries()[sum.entry];
  touch(rows_[id], entry, first, depth, level_of_caller(entry, ChainId(node), face));
}

// An unmapped address has no level; use that of the nearest mapped frame before it in chain order.
char RowTable::level_of_caller(const HistEntry& entry, ChainId node, u32 face) const {
  const ChainTree& chains = hists_.chains();
  const auto look = [&](ChainId at) -> const FrameLook& { return faces_.look(chains.frame(at)); };
  if (request_.chain_order == ChainOrder::Caller) {
    for (ChainId at = node; at != kRootChain; at = chains.parent(at))
      if (look(at).mapped) return look(at).level;
    return hists_.frames()[HistFrameId(entry.leaf)].level;
  }
  char level = hists_.frames()[HistFrameId(entry.leaf)].level;
  for (ChainId at(entry.chain); at != kRootChain; at = chains.parent(at)) {
    if (look(at).mapped) level = look(at).level;
    if (faces_.face(chains.frame(at)).value == face) break;
  }
  return level;
}

const RowTable::KeyValues* RowTable::values_of(SortKey key) const {
  for (const KeyValues& values : values_)
    if (values.key == key) return &values;
  return nullptr;
}

u64 RowTable::group_value(const Row& row, SortKey key) const {
  const KeyValues* values = values_of(key);
  return values == nullptr ? 0 : hists_.groups()[GroupId(row.group)][values->column];
}

std::string_view RowTable::group_text(const Row& row, SortKey key) const {
  const KeyValues* values = values_of(key);
  return values == nullptr || values->texts.empty() ? std::string_view() : texts_.view(values->texts[row.group]);
}

HistFrameId RowTable::data_frame(const Row& row, SortKey key) const {
  return HistFrameId(static_cast<u32>(group_value(row, key)));
}

const FrameLook& RowTable::data_look(const Row& row, SortKey key) const { return faces_.look(data_frame(row, key)); }

void RowTable::index_entries() {
  entry_start_.assign(rows_.size() + 1, 0);
  for (const u32 row : own_row_)
    if (row != kNoRow) ++entry_start_[row + 1];
  std::partial_sum(entry_start_.begin(), entry_start_.end(), entry_start_.begin());
  entry_list_.resize(entry_start_.back());
  std::vector<u32> next(entry_start_.begin(), entry_start_.end() - 1);
  for (u32 entry = 0; entry < own_row_.size(); ++entry)
    if (own_row_[entry] != kNoRow) entry_list_[next[own_row_[entry]]++] = entry;
}

RowTable::GroupedEntries RowTable::entries_by_group() const {
  const auto each = [&](const auto& use) {
    for (u32 entry = 0; entry < hists_.entries().size(); ++entry) {
      const u32 id = hists_.entries()[entry].group;
      if (own_row_[entry] != kNoRow && hists_.groups()[GroupId(id)][0] == request_.events[0])
        use(group_class_[id], entry);
    }
  };
  GroupedEntries result;
  result.start.assign(group_class_.size() + 1, 0);
  each([&](u32 group, u32) { ++result.start[group + 1]; });
  std::partial_sum(result.start.begin(), result.start.end(), result.start.begin());
  result.entries.resize(result.start.back());
  std::vector<u32> next(result.start.begin(), result.start.end() - 1);
  each([&](u32 group, u32 entry) { result.entries[next[group]++] = entry; });
  return result;
}

std::span<const u32> RowTable::entries_of(std::size_t row) const {
  return std::span(entry_list_).subspan(entry_start_[row], entry_start_[row + 1] - entry_start_[row]);
}

}  // namespace peregrine
