#include "cmd/diff/diff_branches.h"

#include <algorithm>

#include "analysis/diff/block_comparison.h"
#include "analysis/diff/hot_stream.h"
#include "output/text/diff/block_diff_table.h"
#include "output/text/diff/diff_table.h"
#include "output/text/diff/stream_page.h"

namespace peregrine::cmd {

namespace {

constexpr std::size_t kHottest = 5;  // streams of each event

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

}  // namespace

Columns block_columns() { return *parse_columns({.sort = "addr_from,addr_to,cycles", .branches = true}); }

void compare_blocks(const DiffOptions& options, const Columns& columns,
                    const std::vector<std::unique_ptr<DiffFile>>& files, u32 event, RowsWriter* writer,
                    Invocation& call) {
  std::vector<std::unique_ptr<RowTable>> tables;
  std::vector<BlockSide> sides;
  for (const auto& file : files) {
    const auto same = file->event_like(files[0]->evlist()[event].attr);
    sides.emplace_back();
    if (!same) continue;
    const std::vector<u32> events{file == files[0] ? event : *same};
    tables.push_back(
        std::make_unique<RowTable>(file->hists(), file->faces(), file->naming(),
                                   RowRequest{.events = events, .columns = columns, .relative = options.relative}));
    sides.back().functions = tables.back().get();
    tables.push_back(std::make_unique<RowTable>(*file->blocks(), *file->block_faces(), file->naming(),
                                                RowRequest{.events = events, .columns = block_columns()}));
    sides.back().blocks = tables.back().get();
  }
  const std::vector<ComparedBlock> blocks = peregrine::compare_blocks(sides, options.order);
  if (writer != nullptr) return write_blocks(*writer, blocks, sides.size(), *files[0], event);
  if (!options.quiet) print_diff_heading(call.out, files[0]->event_names()[event], {});
  print_block_diff(call.out, blocks, sides.size(),
                   {.separator = options.separator == "\\t" ? "\t" : options.separator,
                    .titles = !options.quiet,
                    .spread = options.cycles_spread});
}

void compare_streams(const std::vector<std::unique_ptr<DiffFile>>& files, u32 event, Invocation& call) {
  const DiffFile &before = *files[0], &after = *files[1];
  const auto same = after.event_like(before.evlist()[event].attr);
  if (!same) return;
  const auto was = hot_streams(before.hists(), before.faces(), event, kHottest);
  const auto is = hot_streams(after.hists(), after.faces(), *same, kHottest);
  print_streams(call.out, {was, before.faces()}, {is, after.faces()});
}

Result<> check_branches(const DiffOptions& options, std::size_t files) {
  if (options.cycles_spread && !options.cycles) return fail(ErrorKind::Usage, "--cycles-hist wants -c cycles");
  if (options.streams && files != 2) return fail(ErrorKind::Usage, "--stream compares two files, not {}", files);
  if (options.streams && (options.cycles || !options.format.name.empty()))
    return fail(ErrorKind::Usage, "--stream goes with neither -c cycles nor --format");
  if ((options.streams || options.cycles) && options.by_stack())
    return fail(ErrorKind::Usage, "pictures compare samples, not {}", options.cycles ? "cycles" : "streams");
  return {};
}

Result<> check_stacks(const DiffOptions& options, const OpenedRecording& recording, std::string_view name) {
  if (!options.streams && !options.cycles) return {};
  const auto has_branches = [](const data::Event& event) { return event.attr.samples(abi::sample_bit::BranchStack); };
  if (std::ranges::any_of(recording.evlist(), has_branches)) return {};
  auto error = fail(ErrorKind::Usage, "{} has no branch stacks, which {} compares", name,
                    options.cycles ? "-c cycles" : "--stream");
  error.error().hint = "perf record -b";
  return error;
}

}  // namespace peregrine::cmd
