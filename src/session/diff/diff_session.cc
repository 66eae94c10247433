#include "session/diff/diff_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "analysis/diff/block_comparison.h"
#include "analysis/diff/build_pairing.h"
#include "analysis/diff/compared_values.h"
#include "analysis/diff/comparison.h"
#include "analysis/diff/hot_stream.h"
#include "analysis/diff/total_change.h"
#include "analysis/hist/entry/hists.h"
#include "analysis/hist/key/sort_key.h"
#include "analysis/hist/row/row_table.h"
#include "analysis/hist/row/row_value.h"
#include "base/result.h"
#include "base/text/words.h"
#include "base/types.h"
#include "machine/dso/dso.h"
#include "output/text/diff/block_diff_table.h"
#include "output/text/diff/diff_summary.h"
#include "output/text/diff/diff_table.h"
#include "output/text/diff/stream_page.h"
#include "session/export/picture_request.h"
#include "session/report/report_request.h"

namespace peregrine {

namespace {

using DiffFiles = std::vector<std::unique_ptr<DiffFile>>;

constexpr std::size_t kHottestStreams = 5;  // of each event

// Keys with a single value because of a filter, which the table need not repeat.
std::vector<SortKey> single_valued(const SampleSelection& selection, const std::vector<SortKey>& keys) {
  std::vector<SortKey> hidden;
  const auto consider = [&](SortKey key, const std::string& list) {
    if (split_words(list).size() == 1 && std::ranges::find(keys, key) != keys.end()) hidden.push_back(key);
  };
  consider(SortKey::Dso, selection.dsos);
  consider(SortKey::Comm, selection.comms);
  consider(SortKey::Symbol, selection.symbols);
  if (hidden.size() == keys.size()) hidden.clear();
  return hidden;
}

void write_difference_rows(RowsWriter& writer, const Comparison& comparison, const DiffFile& baseline, u32 event) {
  ComparedValues values(comparison);
  NamedRows table{.event = baseline.event_names()[event], .names = values.names(), .size = comparison.rows().size()};
  table.samples = baseline.hists().totals(event).samples;
  table.period = baseline.hists().totals(event).period;
  table.row = [&](std::size_t row) { return &values.of(comparison.rows()[row]); };
  if (table.size > 0) writer.print(table);
}

// Printed first: whether the total grew or shrank, and which binaries are compared with each other.
void print_summary(const Comparison& comparison, const DiffFiles& files, const std::vector<std::string>& names,
                   const std::string& event, Sink& out) {
  std::vector<DiffTotal> totals;
  std::vector<BuildPair> pairs;
  for (std::size_t side = 1; side < files.size(); ++side) {
    const auto change = total_change(comparison.total(0), comparison.total(side));
    if (change) totals.push_back({.was = names[0], .is = names[side], .change = *change});
    for (const BuildPair& pair : files[side]->pairs())
      if (std::ranges::find(pairs, pair) == pairs.end()) pairs.push_back(pair);
  }
  print_diff_totals(out, event, period_unit(event) == "ns", totals);
  print_build_pairs(out, pairs);
}

void write_blocks(RowsWriter& writer, const std::vector<ComparedBlock>& blocks, std::size_t sides,
                  const DiffFile& baseline, u32 event) {
  std::vector<std::string> names{"dso", "symbol", "start", "end", "baseline", "cycles", "runs"};
  for (std::size_t side = 1; side < sides; ++side)
    for (const std::string_view name : {"cycles", "runs", "change", "error"})
      names.push_back(sides > 2 ? fmt::format("{}.{}", name, side) : fmt::format("new_{}", name));
  const EventTotals totals = baseline.hists().totals(event);
  NamedRows table{.event = baseline.event_names()[event],
                  .samples = totals.samples,
                  .period = totals.period,
                  .names = names,
                  .size = blocks.size()};
  std::vector<RowValue> values;
  table.row = [&](std::size_t at) {
    const ComparedBlock& block = blocks[at];
    values = {block.dso, block.symbol, block.start, block.end, block.share};
    for (std::size_t side = 0; side < sides; ++side) {
      values.emplace_back(block.sides[side].mean());
      values.emplace_back(block.sides[side].times());
      if (side == 0) continue;
      values.push_back(block.has(side) ? RowValue(block.change(side)) : RowValue());
      values.push_back(block.has(side) ? RowValue(block.error(side)) : RowValue());
    }
    return &values;
  };
  if (table.size > 0) writer.print(table);
}

std::string column_separator(const DiffLook& look) { return look.separator == "\\t" ? "\t" : look.separator; }

}  // namespace

void DiffSession::add(std::unique_ptr<DiffFile> file, std::string name) {
  if (!files_.empty()) file->pair_with(*files_[0]);
  files_.push_back(std::move(file));
  names_.push_back(std::move(name));
}

std::vector<const DsoTable*> DiffSession::dsos() const {
  std::vector<const DsoTable*> tables;
  for (const auto& file : files_) tables.push_back(&file->dsos());
  return tables;
}

void DiffSession::warn_about_absent_events(SessionListener& listener) const {
  for (std::size_t at = 1; at < files_.size(); ++at)
    for (u32 event = 0; event < files_[0]->evlist().size(); ++event)
      if (!files_[at]->event_like(files_[0]->evlist()[event].attr))
        listener.warning(fmt::format("{} has no event {} (it has: {})", names_[at], files_[0]->event_names()[event],
                                     fmt::join(files_[at]->event_names(), ", ")));
}

Result<DiffSession::Pair> DiffSession::first_and_last() const {
  DiffFile &before = *files_.front(), &after = *files_.back();
  for (u32 event = 0; event < after.evlist().size(); ++event) {
    const auto same = before.event_like(after.evlist()[event].attr);
    if (!same || after.hists().totals(event).samples == 0) continue;
    return Pair{.before = {before.hists(), before.naming(), *same, names_.front()},
                .after = {after.hists(), after.naming(), event, names_.back()},
                .event = after.event_names()[event]};
  }
  return fail(ErrorKind::NotFound, "{} and {} have no common event with samples", names_.front(), names_.back());
}

void DiffSession::print(const DiffLook& look, Sink& out) const {
  std::optional<RowsWriter> writer;
  if (!look.format.empty()) writer.emplace(look.format, out);
  for (u32 event = 0; event < files_[0]->evlist().size(); ++event) {
    if (event > 0 && !look.quiet && !writer) out.append('\n');
    RowsWriter* const rows = writer ? &*writer : nullptr;
    if (request_.streams)
      compare_streams(event, out);
    else if (request_.cycles)
      compare_blocks(event, look, rows, out);
    else
      compare_event(event, look, rows, out);
  }
  if (writer) writer->finish();
}

void DiffSession::compare_event(u32 event, const DiffLook& look, RowsWriter* writer, Sink& out) const {
  std::vector<std::unique_ptr<RowTable>> tables;
  std::vector<const RowTable*> sides;
  for (const auto& file : files_) {
    const auto same = file->event_like(files_[0]->evlist()[event].attr);
    if (same)
      tables.push_back(std::make_unique<RowTable>(
          file->hists(), file->faces(), file->naming(),
          RowRequest{
              .events = {file == files_[0] ? event : *same}, .columns = columns_, .relative = request_.relative}));
    sides.push_back(same ? tables.back().get() : nullptr);
  }
  ComparisonRequest request{.rule = request_.rule, .order = request_.order, .baseline_only = request_.baseline_only};
  for (const auto& file : files_)
    for (const BuildPair& pair : file->pairs()) request.rebuilt.push_back(pair.was);
  const Comparison comparison(sides, request);
  if (writer != nullptr) {
    write_difference_rows(*writer, comparison, *files_[0], event);
    return;
  }
  const std::string& name = files_[0]->event_names()[event];
  const bool lists_files = files_.size() > 2 || look.list_files;
  if (!look.quiet)
    print_diff_heading(out, name, lists_files ? std::span<const std::string>(names_) : std::span<const std::string>());
  if (!look.quiet && look.separator.empty()) print_summary(comparison, files_, names_, name, out);
  print_diff(out, comparison,
             {.separator = column_separator(look),
              .titles = !look.quiet,
              .periods = look.periods,
              .formula = look.formula,
              .intervals = look.intervals,
              .hidden = single_valued(request_.selection, columns_.keys)});
}

void DiffSession::compare_blocks(u32 event, const DiffLook& look, RowsWriter* writer, Sink& out) const {
  std::vector<std::unique_ptr<RowTable>> tables;
  std::vector<BlockSide> sides;
  for (const auto& file : files_) {
    const auto same = file->event_like(files_[0]->evlist()[event].attr);
    sides.emplace_back();
    if (!same) continue;
    const std::vector<u32> events{file == files_[0] ? event : *same};
    tables.push_back(
        std::make_unique<RowTable>(file->hists(), file->faces(), file->naming(),
                                   RowRequest{.events = events, .columns = columns_, .relative = request_.relative}));
    sides.back().functions = tables.back().get();
    tables.push_back(std::make_unique<RowTable>(*file->blocks(), *file->block_faces(), file->naming(),
                                                RowRequest{.events = events, .columns = block_columns()}));
    sides.back().blocks = tables.back().get();
  }
  const std::vector<ComparedBlock> blocks = peregrine::compare_blocks(sides, request_.order);
  if (writer != nullptr) return write_blocks(*writer, blocks, sides.size(), *files_[0], event);
  if (!look.quiet) print_diff_heading(out, files_[0]->event_names()[event], {});
  print_block_diff(out, blocks, sides.size(),
                   {.separator = column_separator(look), .titles = !look.quiet, .spread = request_.cycles_spread});
}

void DiffSession::compare_streams(u32 event, Sink& out) const {
  const DiffFile &before = *files_[0], &after = *files_[1];
  const auto same = after.event_like(before.evlist()[event].attr);
  if (!same) return;
  const auto was = hot_streams(before.hists(), before.faces(), event, kHottestStreams);
  const auto is = hot_streams(after.hists(), after.faces(), *same, kHottestStreams);
  print_streams(out, {was, before.faces()}, {is, after.faces()});
}

}  // namespace peregrine
