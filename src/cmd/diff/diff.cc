// diff: what changed between recordings, row by row, and which changes are more than chance.
#include <algorithm>
#include <optional>

#include "analysis/diff/compared_values.h"
#include "analysis/diff/comparison.h"
#include "cmd/diff/diff_branches.h"
#include "cmd/diff/diff_file.h"
#include "cmd/export/difference_pictures.h"
#include "cmd/export/rows_writer.h"
#include "cmd/recording/trace_choice.h"
#include "cmd/sandbox/denied_files.h"
#include "output/text/diff/diff_summary.h"
#include "output/text/diff/diff_table.h"

namespace peregrine::cmd {

namespace {

using Files = std::vector<std::unique_ptr<DiffFile>>;

// Once for all recordings, which mostly have the same ones.
void warn_about_closed_binaries(const Files& files, Invocation& call) {
  std::vector<const DsoTable*> tables;
  for (const auto& file : files) tables.push_back(&file->dsos());
  warn_about_denied_files(call, tables);
}

// Keys that a filter leaves one value, which the table need not repeat.
std::vector<SortKey> single_valued(const DiffOptions& options, const std::vector<SortKey>& keys) {
  std::vector<SortKey> hidden;
  const auto consider = [&](SortKey key, const std::string& list) {
    if (split_words(list).size() == 1 && std::ranges::find(keys, key) != keys.end()) hidden.push_back(key);
  };
  consider(SortKey::Dso, options.dsos);
  consider(SortKey::Comm, options.comms);
  consider(SortKey::Symbol, options.symbol_names);
  if (hidden.size() == keys.size()) hidden.clear();
  return hidden;
}

// Each file's part of --time: spans of single files are separated by colons; without any, they are all files'.
std::string times_of(const std::string& times, std::size_t file) {
  const std::vector<std::string> parts = split_words(times, ':');
  if (!times.contains(':')) return times;
  if (times.starts_with(':')) return file == 0 || file > parts.size() ? std::string() : parts[file - 1];
  return file < parts.size() ? parts[file] : std::string();
}

std::vector<std::string> names_of(const std::vector<std::string>& words) {
  if (words.empty()) return {"perf.data.old", std::string(kDefaultInput)};
  if (words.size() == 1) return {"perf.data.old", words[0]};
  return words;
}

void write_difference_rows(RowsWriter& writer, const Comparison& comparison, const DiffFile& baseline, u32 event) {
  ComparedValues values(comparison);
  NamedRows table{.event = baseline.event_names()[event], .names = values.names(), .size = comparison.rows().size()};
  table.samples = baseline.hists().totals(event).samples;
  table.period = baseline.hists().totals(event).period;
  table.row = [&](std::size_t row) { return &values.of(comparison.rows()[row]); };
  if (table.size > 0) writer.print(table);
}

// What people want to know first: more or less in all, and which binaries are compared with one another.
void print_summary(const Comparison& comparison, const Files& files, std::span<const std::string> names,
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

void compare_event(const DiffOptions& options, const Columns& columns, const Files& files,
                   std::span<const std::string> names, u32 event, RowsWriter* rows_writer, Invocation& call) {
  std::vector<std::unique_ptr<RowTable>> tables;
  std::vector<const RowTable*> sides;
  for (const auto& file : files) {
    const auto same = file->event_like(files[0]->evlist()[event].attr);
    if (same)
      tables.push_back(std::make_unique<RowTable>(
          file->hists(), file->faces(), file->naming(),
          RowRequest{.events = {file == files[0] ? event : *same}, .columns = columns, .relative = options.relative}));
    sides.push_back(same ? tables.back().get() : nullptr);
  }
  ComparisonRequest request{.rule = options.rule, .order = options.order, .baseline_only = options.baseline_only};
  for (const auto& file : files)
    for (const BuildPair& pair : file->pairs()) request.rebuilt.push_back(pair.was);
  const Comparison comparison(sides, request);
  if (rows_writer != nullptr) {
    write_difference_rows(*rows_writer, comparison, *files[0], event);
    return;
  }
  const bool lists_files = files.size() > 2 || options.verbose > 0;
  if (!options.quiet)
    print_diff_heading(call.out, files[0]->event_names()[event], lists_files ? names : std::span<const std::string>());
  if (!options.quiet && options.separator.empty())
    print_summary(comparison, files, names, files[0]->event_names()[event], call.out);
  print_diff(call.out, comparison,
             {.separator = options.separator == "\\t" ? "\t" : options.separator,
              .titles = !options.quiet,
              .periods = options.periods,
              .formula = options.formula,
              .intervals = options.intervals.value_or(call.out_is_terminal && options.separator.empty()),
              .hidden = single_valued(options, columns.keys)});
}

// The first and the last file, by the first event that both have.
Result<int> draw_difference(const DiffOptions& options, const Files& files, std::span<const std::string> names,
                            Invocation& call) {
  DiffFile &before = *files.front(), &after = *files.back();
  for (u32 event = 0; event < after.evlist().size(); ++event) {
    const auto same = before.event_like(after.evlist()[event].attr);
    if (!same || after.hists().totals(event).samples == 0) continue;
    const ComparedSide base{before.hists(), before.naming(), *same, names.front()};
    const ComparedSide fresh{after.hists(), after.naming(), event, names.back()};
    if (options.format.is_profile()) PEREGRINE_TRY(write_folded_difference(options.format, base, fresh, call));
    if (!options.pictures.any()) return 0;
    return write_difference_pictures(options.pictures, base, fresh, after.event_names()[event], options.as_counted,
                                     call);
  }
  return fail(ErrorKind::NotFound, "{} and {} have no event in common that was hit", names.front(), names.back());
}

// An event of the first file is compared with blanks where another file lacks it.
void warn_about_absent_events(const Files& files, std::span<const std::string> names, Invocation& call) {
  for (std::size_t at = 1; at < files.size(); ++at)
    for (u32 event = 0; event < files[0]->evlist().size(); ++event)
      if (!files[at]->event_like(files[0]->evlist()[event].attr))
        call.messages.warning(fmt::format("{} has no event {} (it has: {})", names[at], files[0]->event_names()[event],
                                          fmt::join(files[at]->event_names(), ", ")));
}

Result<int> compare(DiffOptions& options, Invocation& call) {
  if (options.quiet) call.messages.set_quiet(true);
  if (options.quiet) options.verbose = 0;
  const std::vector<std::string> names = names_of(call.words);
  auto columns = parse_columns({.sort = options.sort, .default_sort = "dso,symbol"});
  if (!columns) return std::unexpected(std::move(columns.error()));
  if (columns->keys.empty()) return fail(ErrorKind::Usage, "-s needs at least one grouping key");
  if (options.order >= names.size()) {
    call.messages.verbatim("Order option out of limit.\n");
    return 255;
  }
  PEREGRINE_TRY(check_branches(options, names.size()));
  if (options.by_stack()) columns->keys = {SortKey::Comm};
  if (options.cycles || options.streams) columns = parse_columns({.default_sort = "dso,symbol"});
  Files files;
  for (std::size_t at = 0; at < names.size(); ++at) {
    auto recording = open_recording(names[at], options.symbols.force);
    if (!recording) return say_open_error(call, names[at], recording.error());
    if (!options.dump) PEREGRINE_TRY(decode_recording(*recording, {}, usual_itrace(), options.symbols, call));
    PEREGRINE_TRY(check_stacks(options, *recording, names[at]));
    if (!options.cpus.empty() && !samples_have_cpus(recording->evlist(), call)) return 255;
    auto file = DiffFile::read(std::move(*recording), options, columns->keys, times_of(options.times, at), call);
    if (!file) return std::unexpected(std::move(file.error()));
    files.push_back(std::move(*file));
    if (at > 0) files[at]->pair_with(*files[0]);
  }
  warn_about_closed_binaries(files, call);
  if (options.by_stack()) return draw_difference(options, files, names, call);
  warn_about_absent_events(files, names, call);
  std::optional<RowsWriter> writer;
  if (!options.format.name.empty()) writer.emplace(options.format.name, call.out);
  for (u32 event = 0; event < files[0]->evlist().size(); ++event) {
    if (event > 0 && !options.quiet && !writer) call.out.append('\n');
    RowsWriter* rows = writer ? &*writer : nullptr;
    if (options.streams)
      compare_streams(files, event, call);
    else if (options.cycles)
      compare_blocks(options, *columns, files, event, rows, call);
    else
      compare_event(options, *columns, files, names, event, rows, call);
  }
  if (writer) writer->finish();
  return 0;
}

}  // namespace

Result<int> diff(DiffOptions& options, Invocation& call) {
  for (const std::string& name : names_of(call.words)) PEREGRINE_TRY(check_output(options.format.output, name));
  return write_into(options.format, Writing::Whole, options.separator, {}, call,
                    [&](Invocation& into) { return compare(options, into); });
}

}  // namespace peregrine::cmd
