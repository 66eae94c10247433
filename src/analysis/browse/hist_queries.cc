#include "analysis/browse/hist_queries.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analysis/hist/chain/chain_tree.h"
#include "analysis/hist/chain/hist_frame.h"
#include "analysis/hist/entry/group_table.h"
#include "analysis/hist/entry/hists.h"
#include "analysis/hist/entry/kept_samples.h"
#include "analysis/hist/key/columns.h"
#include "analysis/hist/key/face_keys.h"
#include "analysis/hist/key/face_table.h"
#include "analysis/hist/key/naming.h"
#include "analysis/hist/key/sort_key.h"
#include "analysis/hist/picture/flame_tree.h"
#include "analysis/hist/picture/stack_profile.h"
#include "analysis/hist/row/row_table.h"
#include "analysis/hist/row/row_tree.h"
#include "base/container/string_pool.h"
#include "base/result.h"
#include "base/text/ascii.h"
#include "base/types.h"

namespace peregrine {

namespace {

constexpr double kLeastFlame = 0.001;  // narrower boxes are invisible on a terminal

// Everything that affects the rows' sums, as one string. The table is rebuilt when it changes.
std::string key_of(const BrowseLook& look) {
  std::string key = fmt::format("{}/{}/{}", look.table, look.relative, look.sort_member.value_or(~0u));
  for (const Zoom& zoom : look.trail)
    key += fmt::format("/{}:{}:{}", static_cast<int>(zoom.kind), zoom.value, zoom.name);
  if (look.search_chains) key += "?" + look.filter;
  return key;
}

void sort_sums(std::vector<NamedSum>& sums) {
  std::ranges::sort(sums, [](const NamedSum& a, const NamedSum& b) {
    return a.period != b.period ? a.period > b.period : a.name < b.name;
  });
}

class SumsByName {
 public:
  void add(const std::string& name, const HistEntry& entry, u64 value = 0) {
    const auto [at, fresh] = places_.try_emplace(name, sums_.size());
    if (fresh) sums_.push_back({.name = name, .value = value});
    sums_[at->second].period += entry.period;
    sums_[at->second].samples += entry.samples;
  }
  std::vector<NamedSum> take() {
    sort_sums(sums_);
    return std::move(sums_);
  }

 private:
  std::unordered_map<std::string, std::size_t> places_;
  std::vector<NamedSum> sums_;
};

}  // namespace

bool contains_any_case(std::string_view text, std::string_view part) {
  return std::ranges::search(text, part, [](char a, char b) { return to_lower(a) == to_lower(b); }).begin() !=
             text.end() ||
         part.empty();
}

HistQueries::HistQueries(BrowseOptions options, Naming& naming) : options_(std::move(options)), naming_(naming) {}
HistQueries::~HistQueries() = default;

void HistQueries::show(const Hists& hists) {
  levels_.clear();
  tree_.reset();
  graphs_.reset();
  table_.reset();
  table_look_.reset();
  hists_ = &hists;
  faces_ = std::make_unique<FaceTable>(hists.frames(), naming_, face_keys(options_.columns.keys));
}

std::vector<TableLine> HistQueries::tables() {
  std::vector<TableLine> lines;
  for (std::size_t i = 0; i < options_.tables.size(); ++i) {
    TableLine line{.name = options_.names[i]};
    for (const u32 event : options_.tables[i]) {
      line.samples += hists_->totals(event).samples;
      line.period += hists_->totals(event).period;
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

std::string HistQueries::name_of(HistFrameId frame) const {
  const FrameLook& look = faces_->look(frame);
  return look.symbol.valid() ? std::string(faces_->text(look.symbol)) : fmt::format("{:#x}", look.address);
}

std::vector<bool> HistQueries::frames_named(const std::string& name) const {
  std::vector<bool> result(hists_->frames().size());
  for (u32 frame = 0; frame < result.size(); ++frame) result[frame] = name_of(HistFrameId(frame)) == name;
  return result;
}

std::vector<bool> HistQueries::frames_containing(const std::string& part) const {
  std::vector<bool> result(hists_->frames().size());
  for (u32 frame = 0; frame < result.size(); ++frame) {
    const StringId symbol = faces_->look(HistFrameId(frame)).symbol;
    result[frame] = symbol.valid() && contains_any_case(faces_->text(symbol), part);
  }
  return result;
}

bool HistQueries::chain_has(const HistEntry& entry, const std::vector<bool>& wanted) const {
  if (wanted[entry.leaf]) return true;
  const ChainTree& chains = hists_->chains();
  for (ChainId at(entry.chain); at != kRootChain; at = chains.parent(at))
    if (wanted[chains.frame(at).value]) return true;
  return false;
}

bool HistQueries::keeps_entry(const HistEntry& entry, const BrowseLook& look) const {
  const auto value = [&](SortKey key) -> u64 {
    const int column = group_column(options_.keys, key);
    return column < 0 ? ~u64{0} : hists_->groups()[GroupId(entry.group)][static_cast<std::size_t>(column)];
  };
  return std::ranges::all_of(look.trail, [&](const Zoom& zoom) {
    if (zoom.kind == Zoom::Kind::Thread) return value(SortKey::Pid) == zoom.value;
    if (zoom.kind == Zoom::Kind::Comm) return value(SortKey::Comm) == zoom.value;
    if (zoom.kind == Zoom::Kind::Socket) return value(SortKey::Socket) == zoom.value;
    return true;
  });
}

// Zooming into a thread, command or function filters samples; zooming into a library only filters rows.
void HistQueries::choose_entries(const BrowseLook& look) {
  kept_.clear();
  const auto& entries = hists_->entries();
  const bool by_chain = look.search_chains && !look.filter.empty();
  if (look.trail.empty() && !by_chain) return;
  kept_.resize(entries.size());
  for (std::size_t at = 0; at < entries.size(); ++at) kept_[at] = keeps_entry(entries[at], look);
  const auto leave = [&](const std::vector<bool>& wanted) {
    for (std::size_t at = 0; at < entries.size(); ++at)
      if (kept_[at]) kept_[at] = chain_has(entries[at], wanted);
  };
  for (const Zoom& zoom : look.trail)
    if (zoom.kind == Zoom::Kind::Symbol) leave(frames_named(zoom.name));
  if (by_chain) leave(frames_containing(look.filter));
}

bool HistQueries::has_text(const Row& row, std::string_view part) const {
  const FrameLook& look = table_->frame_look(row);
  if (look.symbol.valid() && contains_any_case(faces_->text(look.symbol), part)) return true;
  if (look.dso.valid() && contains_any_case(faces_->text(look.dso), part)) return true;
  return std::ranges::any_of(options_.columns.keys, [&](SortKey key) {
    return key->source == KeySource::Group && contains_any_case(table_->group_text(row, key), part) &&
           !table_->group_text(row, key).empty();
  });
}

bool HistQueries::keeps_row(const Row& row, const BrowseLook& look) const {
  const FrameLook& face = table_->frame_look(row);
  for (const Zoom& zoom : look.trail) {
    if (zoom.kind == Zoom::Kind::Dso && (!face.dso.valid() || faces_->text(face.dso) != zoom.name)) return false;
    if (zoom.kind == Zoom::Kind::Kernel && row.level != 'k') return false;
  }
  return look.search_chains || look.filter.empty() || has_text(row, look.filter);
}

// Hide columns of tracepoint fields that these events do not have.
Columns HistQueries::columns_of(const std::vector<u32>& events) const {
  Columns columns = options_.columns;
  for (std::size_t at = 0; at < columns.fields.size(); ++at)
    if (std::ranges::find(events, columns.fields[at].event) == events.end())
      std::erase(columns.shown, column_of(dynamic_key(at)));
  return columns;
}

// An address without a map has the level of its row's first sample, which may be one that a filter removes.
void HistQueries::keep_levels() {
  for (u32 at = 0; at < table_->rows().size(); ++at) {
    const Row& row = table_->rows()[at];
    if (table_->frame_look(row).mapped) continue;
    const u64 key = u64{row.group} << 32 | row.face;
    if (kept_.empty())
      levels_[key] = row.level;
    else if (const auto found = levels_.find(key); found != levels_.end())
      table_->set_level(at, found->second);
  }
}

const BrowsePage& HistQueries::page(const BrowseLook& look) {
  const std::vector<u32>& events = options_.tables[look.table];
  if (const std::string key = key_of(look); !table_ || table_look_ != key) {
    tree_.reset();
    graphs_.reset();
    choose_entries(look);
    table_ = std::make_unique<RowTable>(*hists_, *faces_, naming_,
                                        RowRequest{.events = events,
                                                   .columns = columns_of(events),
                                                   .children = options_.children,
                                                   .with_chains = options_.graphs,
                                                   .chain_order = options_.graph.order,
                                                   .sort_member = look.sort_member.value_or(options_.sort_member),
                                                   .collected = options_.keys,
                                                   .by_cpumode = options_.by_cpumode,
                                                   .kept_entries = kept_});
    keep_levels();
    table_look_ = key;
  }
  page_ = {.table = table_.get()};
  const EventTotals totals = hists_->totals(events[0]);
  page_.total = totals.period;
  for (u32 at = 0; at < table_->rows().size(); ++at) {
    const Row& row = table_->rows()[at];
    if (!keeps_row(row, look)) continue;
    page_.rows.push_back(at);
    page_.samples += table_->sums(row).samples;
    page_.period += table_->sums(row).period;
  }
  if (look.trail.empty() && look.filter.empty()) {
    page_.samples = totals.samples;
    page_.period = totals.period;
  }
  if (look.relative && page_.period != 0) page_.total = page_.period;
  if (look.percent_limit > 0)
    std::erase_if(page_.rows, [&](u32 at) {
      return 100.0 * static_cast<double>(table_->weight(table_->rows()[at])) <
             look.percent_limit * static_cast<double>(page_.total);
    });
  return page_;
}

const RowTree& HistQueries::tree() {
  std::vector<std::vector<SortKey>> levels = options_.columns.levels;
  const std::vector<Column>& shown = table_->request().columns.shown;
  for (std::vector<SortKey>& level : levels)
    std::erase_if(level, [&](SortKey key) { return std::ranges::find(shown, column_of(key)) == shown.end(); });
  std::erase_if(levels, [](const std::vector<SortKey>& level) { return level.empty(); });
  tree_ = std::make_unique<RowTree>(*table_, std::move(levels), page_.rows);
  return *tree_;
}

CallGraph HistQueries::graph(u32 row) {
  if (!graphs_) graphs_ = std::make_unique<CallGraphBuilder>(*table_);
  const u32 rows[] = {row};
  std::vector<CallGraph> graphs =
      graphs_->build(rows, least_total(*table_, options_.graph), least_share(options_.graph));
  return std::move(graphs[0]);
}

HistFrameId HistQueries::frame_of(u32 row) { return table_->faces().frame(FaceId(table_->rows()[row].face)); }

std::vector<KeptSample> HistQueries::samples(u32 row) {
  const KeptSamples& kept = hists_->kept();
  std::vector<KeptSample> samples;
  if (kept.empty()) return samples;
  for (const u32 entry : table_->entries_of(row))
    samples.insert(samples.end(), kept.of(entry).begin(), kept.of(entry).end());
  keep_few(samples, kept.most());
  std::ranges::sort(samples, {}, &KeptSample::time);
  return samples;
}

std::vector<NamedSum> HistQueries::parts(u32 row, Zoom::Kind by) { return split(table_->entries_of(row), by); }

std::vector<NamedSum> HistQueries::parts_through(u32 row, Zoom::Kind by) {
  const Row& at = table_->rows()[row];
  std::vector<bool> wanted(hists_->frames().size());
  for (u32 frame = 0; frame < wanted.size(); ++frame) wanted[frame] = faces_->face(HistFrameId(frame)).value == at.face;
  const RowTable::GroupedEntries all = table_->entries_by_group();
  std::vector<u32> entries;
  for (const u32 entry : all.of(at.group))
    if (chain_has(hists_->entries()[entry], wanted)) entries.push_back(entry);
  return split(entries, by);
}

std::vector<NamedSum> HistQueries::split(std::span<const u32> entries, Zoom::Kind by) const {
  SumsByName sums;
  const bool threads = by == Zoom::Kind::Thread;
  const int column = group_column(options_.keys, threads ? SortKey::Pid : SortKey::Socket);
  if (column < 0) return {};
  for (const u32 at : entries) {
    const HistEntry& entry = hists_->entries()[at];
    const u64 value = hists_->groups()[GroupId(entry.group)][static_cast<std::size_t>(column)];
    const i32 number = static_cast<i32>(value);
    if (threads)
      sums.add(fmt::format("{} ({})", naming_.text(SortKey::Pid, value), number), entry, value);
    else if (number >= 0)
      sums.add(fmt::format("socket {}", number), entry, value);
  }
  return sums.take();
}

Butterfly HistQueries::butterfly(const BrowseLook& look, const std::string& symbol) {
  static_cast<void>(page(look));  // chooses the entries
  Butterfly result{.name = symbol};
  SumsByName callers, callees;
  const std::vector<bool> wanted = frames_named(symbol);
  const ChainTree& chains = hists_->chains();
  for (u32 at = 0; at < hists_->entries().size(); ++at) {
    const HistEntry& entry = hists_->entries()[at];
    if (!kept_.empty() && !kept_[at]) continue;
    if (hists_->groups()[GroupId(entry.group)][0] != options_.tables[look.table][0]) continue;
    result.total += entry.period;
    if (!chain_has(entry, wanted)) continue;
    result.whole += entry.period;
    if (entry.chain == kRootChain.value) {
      result.own += entry.period;
      continue;
    }
    // From the innermost frame outwards. A recursive function counts once: its callee is that of its innermost call,
    // its caller that of its outermost call.
    std::string below, caller;
    bool met = false;
    for (ChainId step(entry.chain); step != kRootChain; step = chains.parent(step)) {
      const HistFrameId frame = chains.frame(step);
      if (!wanted[frame.value]) {
        if (met && caller.empty()) caller = name_of(frame);
        if (!met) below = name_of(frame);
        continue;
      }
      caller.clear();
      met = true;
    }
    // The place of a precise sample may be missing from its chain; the chain then says nothing about callees.
    if (!met || below.empty())
      result.own += entry.period;
    else
      callees.add(below, entry);
    if (!caller.empty()) callers.add(caller, entry);
  }
  result.callers = callers.take();
  result.callees = callees.take();
  return result;
}

FlameTree HistQueries::flames(const BrowseLook& look) {
  static_cast<void>(page(look));  // chooses the entries
  StackProfileMaker maker;
  StackProfileMaker::Recording recording{*hists_, naming_};
  maker.add(recording, {.name = options_.names[look.table],
                        .event = options_.tables[look.table][0],
                        .comm_column = static_cast<std::size_t>(group_column(options_.keys, SortKey::Comm)),
                        .kept_entries = kept_});
  return make_flame_tree(maker.finish(), {.least_share = kLeastFlame});
}

Result<AnnotatedCode> HistQueries::annotate(const HistFrame& frame, std::size_t table) {
  if (!find_code_) return fail(ErrorKind::Unsupported, "code cannot be shown here");
  return find_code_(frame, options_.tables[table]);
}

std::string HistQueries::describe_dso(HistFrameId frame) {
  const HistFrame& at = hists_->frames()[frame];
  if (at.dso == HistFrame::kNone) return "No map covers this address.";
  return describe_dso_ ? describe_dso_(at.dso) : std::string();
}

}  // namespace peregrine
