// kmem: which code allocates the kernel's memory, and how much of it is wasted.
#include <fmt/format.h>

#include <array>
#include <expected>
#include <string>
#include <string_view>
#include <utility>

#include "analysis/memory/row_order.h"
#include "base/number/number_list.h"
#include "base/result.h"
#include "cli/frame/command.h"
#include "cli/frame/config.h"
#include "cli/frame/parts.h"
#include "cli/option/option.h"
#include "cli/option/parser.h"
#include "cli/option/store.h"
#include "cmd/command_table.h"
#include "cmd/recording/recording_rows.h"
#include "cmd/recording/traced_recording.h"
#include "cmd/sandbox/confined_reader.h"
#include "output/text/kernel/memory_tables.h"
#include "session/kernel/memory_session.h"
#include "session/recording/tracepoint/tracepoint_recording.h"

namespace peregrine::cmd {

namespace {

struct KmemOptions {
  TracedInput input;
  SymbolOptions symbols;
  MemoryTables tables;
  bool raw = false, slab = false, page = false;
  std::string times;
  // The most recently named table and side, which -s and -l refer to.
  bool given_last = false, pages_last = false;
  MemoryTable& last() { return given_last ? tables.given : tables.callers; }
};

Result<> ask_callers(KmemOptions& options, const Use& use) {
  options.tables.callers.shown = !use.negated;
  options.given_last = false;
  return {};
}
Result<> ask_given(KmemOptions& options, const Use& use) {
  options.tables.given.shown = !use.negated;
  options.given_last = true;
  return {};
}
Result<> ask_slab(KmemOptions& options, const Use& use) {
  options.slab = !use.negated;
  options.pages_last = false;
  return {};
}
Result<> ask_pages(KmemOptions& options, const Use& use) {
  options.page = !use.negated;
  options.pages_last = true;
  return {};
}
Result<> set_sort(KmemOptions& options, const Use& use) {
  if (use.negated) {
    options.last().pages = MemoryTable().pages;
    options.last().slab = MemoryTable().slab;
  } else if (options.pages_last) {
    auto keys = parse_page_keys(use.value);
    if (!keys) return std::unexpected(std::move(keys.error()));
    options.last().pages = std::move(*keys);
  } else {
    auto keys = parse_slab_keys(use.value);
    if (!keys) return std::unexpected(std::move(keys.error()));
    options.last().slab = std::move(*keys);
  }
  return {};
}
Result<> set_lines(KmemOptions& options, const Use& use) {
  options.last().lines.reset();
  if (use.negated) return {};
  const auto count = parse_number_list(use.value);
  if (!count || count->size() != 1)
    return fail(ErrorKind::Usage, "invalid -l '{}': must be a number of lines", use.value);
  options.last().lines = count->front();
  return {};
}

constexpr Option kSlabRow{.name = "slab",
                          .help = "analyse small allocations: kmalloc and kmem_cache_alloc (default)",
                          .store = call<ask_slab>};
constexpr Option kPageRow{.name = "page", .help = "analyse page allocations", .store = call<ask_pages>};
constexpr Option kOwnKallsymsRow = [] {
  Option row = kKallsymsRow<&KmemOptions::symbols, &SymbolOptions::kallsyms>;
  row.since = Since::Ours;
  return row;
}();
constexpr std::array kKmemOwnRows{
    Option{.name = "alloc", .help = "show a table of allocated addresses or pages", .store = call<ask_given>},
    Option{.name = "caller", .help = "show a table of the code that allocates", .store = call<ask_callers>},
    Option{.name = "line",
           .letter = 'l',
           .value = Value::Required,
           .metavar = "num",
           .help = "show at most this many rows of the preceding table option",
           .store = call<set_lines>},
    kOwnKallsymsRow,
    Option{.name = "live",
           .help = "show only pages that were not freed",
           .store = set<&KmemOptions::tables, &MemoryTables::live>},
    kPageRow,
    Option{.name = "raw-ip", .help = "show code addresses instead of names", .store = set<&KmemOptions::raw>},
    kSlabRow,
    Option{
        .name = "sort",
        .letter = 's',
        .value = Value::Required,
        .metavar = "key[,key2...]",
        .help =
            "sort the preceding table option by these keys, largest first: ptr, callsite, bytes, hit, pingpong, frag; "
            "after --page: page, callsite, bytes, hit, order, migtype, gfp",
        .store = call<set_sort>},
    kTimeRow<&KmemOptions::times>,
};
constexpr std::array kKmemRecordOptions{kPageRow, kSlabRow};
constexpr auto kKmemOptions = joined_rows(kKmemOwnRows, kTracedInputRows<KmemOptions>);
constexpr std::string_view kKmemUsage[] = {"[<options>] {record|stat}"};
constexpr std::string_view kKmemDescription =
    "Shows which code allocates kernel memory, how much, and how much of it is wasted by rounding sizes up.\n\n"
    "`record` records allocations and frees on all CPUs while a command runs: small ones (--slab, the default) or "
    "whole pages (--page). `stat` summarizes them, by calling code (--caller) or by address or page (--alloc).";
constexpr std::string_view kKmemExamples[] = {
    "perf kmem record -- ls|allocations and frees on all CPUs while ls runs",
    "perf kmem stat --caller -l 10|the ten callers that waste the most memory",
    "perf kmem record --page -- ls|the same for whole pages",
    "perf kmem stat --page --live --caller|callers that did not free their pages",
};

// The default is the side set in the configuration.
Result<> choose_sides(KmemOptions& options, const Config& config) {
  if (options.slab || options.page) return {};
  const std::string usual = config.text("kmem.default", "slab");
  if (usual != "slab" && usual != "page")
    return fail(ErrorKind::Usage, "invalid kmem.default '{}': must be slab or page", usual);
  (usual == "page" ? options.page : options.slab) = true;
  return {};
}

Error no_events(std::string_view side, std::string_view program) {
  return {ErrorKind::Unsupported,
          fmt::format("No {0} allocation events found.  Have you run '{1} kmem record --{0}'?", side, program)};
}

Result<int> kmem_stat(KmemOptions& options, Invocation& call) {
  PEREGRINE_TRY(choose_sides(options, call.config));
  if (options.input.dump) return dump_traced(options.input, call);
  options.symbols.force = options.input.force;
  auto recording = open_traced(options.input, options.symbols, call);
  if (!recording) return kNotOpened;
  const auto missing = show_kernel_memory(*recording,
                                          {.slab = options.slab,
                                           .pages = options.page,
                                           .tables = options.tables,
                                           .addresses = options.raw,
                                           .times = options.times},
                                          call.out, call.messages);
  if (!missing) return std::unexpected(missing.error());
  for (const std::string_view side : *missing) call.messages.error(no_events(side, call.messages.program()));
  return missing->empty() ? 0 : kNotOpened;
}

// All options except --slab and --page belong to record.
Result<int> kmem_record(Invocation& call) {
  KmemOptions options;
  const auto rest = take_own_options(call, &options, kOwner<KmemOptions>);
  if (!rest) return std::unexpected(rest.error());
  PEREGRINE_TRY(choose_sides(options, call.config));
  return record_traced(memory_recording(options.slab, options.page), *rest, call);
}

constexpr Command kKmemRecord{.name = "kmem record",
                              .summary = "Record kernel memory allocations",
                              .options = kKmemRecordOptions,
                              .passes_to = &kRecord,
                              .run = kmem_record};
constexpr Command kKmemStat{.name = "kmem stat",
                            .summary = "Summarize allocations",
                            .options = kKmemOptions,
                            .run = entry<KmemOptions, confined<KmemOptions, kmem_stat>>};
constexpr const Command* kKmemParts[] = {&kKmemRecord, &kKmemStat};

}  // namespace

constinit const Command kKmem{.name = "kmem",
                              .summary = "Show which code allocates kernel memory",
                              .usage = kKmemUsage,
                              .options = kKmemOptions,
                              .parts = kKmemParts,
                              .words_at = Words::StopAtFirst,
                              .paging = Paging::ToTerminal,
                              .description = kKmemDescription,
                              .examples = kKmemExamples,
                              .run = run_part};

}  // namespace peregrine::cmd
