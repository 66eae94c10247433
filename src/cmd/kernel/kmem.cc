// kmem: who allocates the kernel's memory, and what of it is wasted.
#include "analysis/memory/kernel_memory.h"
#include "base/number/number_list.h"
#include "cmd/command_table.h"
#include "cmd/kernel/kmem_tables.h"
#include "cmd/recording/recording_rows.h"
#include "cmd/recording/traced_recording.h"
#include "cmd/sandbox/confined_reader.h"

namespace peregrine::cmd {

namespace {

struct KmemOptions {
  TracedInput input;
  SymbolOptions symbols;
  KmemTables tables;
  bool raw = false, slab = false, page = false;
  std::string times;
  // What was named last: -s and -l are about that.
  bool given_last = false, pages_last = false;
  KmemTable& last() { return given_last ? tables.given : tables.callers; }
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
  const std::string words(use.value);
  if (options.pages_last) {
    auto keys = page_keys(words);
    if (!keys) return std::unexpected(std::move(keys.error()));
    options.last().pages = std::move(*keys);
  } else {
    auto keys = slab_keys(words);
    if (!keys) return std::unexpected(std::move(keys.error()));
    options.last().slab = std::move(*keys);
  }
  return {};
}
Result<> set_lines(KmemOptions& options, const Use& use) {
  const auto count = parse_number_list(use.value);
  if (!count || count->size() != 1) return fail(ErrorKind::Usage, "-l: invalid number of lines '{}'", use.value);
  options.last().lines = count->front();
  return {};
}

constexpr Option kSlabRow{
    .name = "slab", .help = "small allocations: kmalloc and kmem_cache_alloc (default)", .store = call<ask_slab>};
constexpr Option kPageRow{.name = "page", .help = "page allocations", .store = call<ask_pages>};
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
           .help = "maximum number of rows of the preceding table option",
           .store = call<set_lines>},
    kOwnKallsymsRow,
    Option{.name = "live",
           .help = "only pages that were not freed",
           .store = set<&KmemOptions::tables, &KmemTables::live>},
    kPageRow,
    Option{.name = "raw-ip", .help = "show code addresses instead of names", .store = set<&KmemOptions::raw>},
    kSlabRow,
    Option{.name = "sort",
           .letter = 's',
           .value = Value::Required,
           .metavar = "key[,key2...]",
           .help = "sort keys of the preceding table option, largest first: ptr, callsite, bytes, hit, pingpong, frag; "
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
    "whole pages (--page). `stat` sums them up, by calling code with --caller, by address or page with --alloc.";
constexpr std::string_view kKmemExamples[] = {
    "perf kmem record -- ls|allocations and frees on all CPUs while ls runs",
    "perf kmem stat --caller -l 10|the ten callers that waste most memory",
    "perf kmem record --page -- ls|the same for whole pages",
    "perf kmem stat --page --live --caller|callers with pages that were not freed",
};

// Without a word of either: what the config says.
Result<> choose_sides(KmemOptions& options, const Config& config) {
  if (options.slab || options.page) return {};
  const std::string usual = config.text("kmem.default", "slab");
  if (usual != "slab" && usual != "page")
    return fail(ErrorKind::Usage, "kmem.default: '{}' is neither slab nor page", usual);
  (usual == "page" ? options.page : options.slab) = true;
  return {};
}

Error no_events(std::string_view side, std::string_view program) {
  return {ErrorKind::Unsupported,
          fmt::format("No {0} allocation events found.  Have you run '{1} kmem record --{0}'?", side, program)};
}

std::string code_name(u64 place, Resolver& resolver) {
  const auto& context = resolver.context(0, 0, kForever);
  const Frame& frame = resolver.at(resolver.frame(context, place, abi::misc_bit::Kernel));
  if (!frame.symbol) return fmt::format("0x{:x}", place);
  return fmt::format("{}+{:x}", resolver.symbol_name(frame), resolver.symbol_offset(frame));
}

Result<int> kmem_stat(KmemOptions& options, Invocation& call) {
  PEREGRINE_TRY(choose_sides(options, call.config));
  if (options.input.dump) return dump_traced(options.input, call);
  options.symbols.force = options.input.force;
  auto opened = open_traced(options.input, options.symbols, call);
  if (!opened) return kNotOpened;
  TracedRecording& recording = *opened;
  KernelMemory memory(*recording.reader,
                      {.slab = options.slab, .pages = options.page, .live_pages = options.tables.live});
  auto times = choose_times(options.times, *recording.reader);
  if (!times) return std::unexpected(std::move(times.error()));
  SampleFilter filter{.times = std::move(*times), .cpus = {}, .comms = {}, .pids = {}, .tids = {}};
  PEREGRINE_TRY(replay_in_order(recording, memory, {}, call, std::move(filter)));
  PEREGRINE_TRY(memory.outcome());
  if (memory.pages() && memory.pages()->unreadable() != 0)
    call.messages.warning(fmt::format("{} page events are left out: their order is above {}",
                                      memory.pages()->unreadable(), PageUsage::kLargestOrder),
                          "the recording is damaged; `script` shows its events as they are");
  Resolver resolver(*recording.machine);
  options.tables.old_kinds = has_old_migrate_types(*recording.reader);
  options.tables.code = [&](u64 place) {
    return options.raw ? fmt::format("0x{:x}", place) : code_name(place, resolver);
  };
  int exit_code = 0;
  const auto print = [&](const auto& usage, auto show, std::string_view side) {
    if (!usage) return;
    if (usage->tracepoints().any()) return show(*usage, options.tables, call.out);
    call.messages.error(no_events(side, call.messages.program()));
    exit_code = 255;
  };
  print(memory.slab(), print_slab, "slab");
  print(memory.pages(), print_pages, "page");
  return exit_code;
}

// All but the sides are record's own.
Result<int> kmem_record(Invocation& call) {
  KmemOptions options;
  const auto rest = take_own_options(call, &options, kOwner<KmemOptions>);
  if (!rest) return std::unexpected(rest.error());
  PEREGRINE_TRY(choose_sides(options, call.config));
  std::vector<std::string> words{"-a", "-R", "-c", "1"};
  const RecordableTracepoints there("kmem");
  if (options.slab)
    there.add_events(
        {"kmalloc", "kmalloc_node", "kfree", "kmem_cache_alloc", "kmem_cache_alloc_node", "kmem_cache_free"}, words);
  if (options.page) {
    words.emplace_back("-g");
    there.add_events({"mm_page_alloc", "mm_page_free"}, words);
  }
  words.insert(words.end(), rest->begin(), rest->end());
  return there.record(std::move(words), call);
}

constexpr Command kKmemRecord{.name = "kmem record",
                              .summary = "Record kernel memory allocations",
                              .options = kKmemRecordOptions,
                              .passes_to = &kRecord,
                              .run = kmem_record};
constexpr Command kKmemStat{.name = "kmem stat",
                            .summary = "Sum up allocations",
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
