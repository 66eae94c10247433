// kmem: who allocates the kernel's memory, and what of it is wasted.
#include <algorithm>
#include <compare>

#include "analysis/memory/slab_usage.h"
#include "cmd/command_table.h"
#include "cmd/recording_rows.h"
#include "cmd/traced_recording.h"
#include "output/text/slab_text.h"

namespace peregrine::cmd {

namespace {

struct KmemOptions {
  TracedInput input;
  bool callers = false, addresses = false, raw = false;
  bool slab = false, page = false;
  std::string caller_sort, address_sort, times;
  std::optional<std::size_t> caller_lines, address_lines;
  bool addresses_last = false;  // which of both was named last: -s and -l are about that one
};
using O = KmemOptions;

Result<> ask_callers(O& options, const Use& use) {
  options.callers = !use.negated;
  options.addresses_last = false;
  return {};
}
Result<> ask_addresses(O& options, const Use& use) {
  options.addresses = !use.negated;
  options.addresses_last = true;
  return {};
}
Result<> set_sort(O& options, const Use& use) {
  (options.addresses_last ? options.address_sort : options.caller_sort) = use.value;
  return {};
}
Result<> set_lines(O& options, const Use& use) {
  const auto count = parse_number_list(use.value);
  if (!count || count->size() != 1) return fail(ErrorKind::Usage, "-l: '{}' is no number of lines", use.value);
  (options.addresses_last ? options.address_lines : options.caller_lines) = count->front();
  return {};
}

constexpr std::array kOwn{
    Option{.name = "alloc", .help = "a table of the addresses that were given", .store = call<ask_addresses>},
    Option{.name = "caller", .help = "a table of the places in code that asked", .store = call<ask_callers>},
    Option{.name = "line",
           .letter = 'l',
           .value = Value::Required,
           .metavar = "num",
           .help = "so many rows of the table that was named before",
           .store = call<set_lines>},
    Option{.name = "live", .help = "refused, as --page is", .store = set<&O::page>},
    Option{.name = "page", .help = "refused: pages are not summed up yet", .store = set<&O::page>},
    Option{.name = "raw-ip", .help = "addresses of code, not names", .store = set<&O::raw>},
    Option{.name = "slab", .help = "small memory: kmalloc and kmem_cache_alloc (default)", .store = set<&O::slab>},
    Option{
        .name = "sort",
        .letter = 's',
        .value = Value::Required,
        .metavar = "key[,key2...]",
        .help = "the largest first of: ptr, callsite, bytes, hit, pingpong, frag; of the table that was named before",
        .store = call<set_sort>},
    kTimeRow<&KmemOptions::times>,
};
constexpr auto kOptions = joined_rows(kOwn, kTracedInputRows<KmemOptions>);
constexpr std::string_view kUsage[] = {"[<options>] {record|stat}"};
constexpr std::string_view kExamples[] = {
    "perf kmem record -- ls|what is allocated and freed on all CPUs while ls runs",
    "perf kmem stat --caller -l 10|the ten places in code that waste most",
};

enum class SlabKey : u8 { Key, Bytes, Hits, PingPongs, Fragmentation };

Result<std::vector<SlabKey>> keys_of(const std::string& sort) {
  constexpr std::pair<std::string_view, SlabKey> kWords[] = {
      {"ptr", SlabKey::Key},           {"call_site", SlabKey::Key}, {"callsite", SlabKey::Key},
      {"bytes", SlabKey::Bytes},       {"hit", SlabKey::Hits},      {"pingpong", SlabKey::PingPongs},
      {"frag", SlabKey::Fragmentation}};
  std::vector<SlabKey> keys;
  for (const std::string& word : split_words(sort.empty() ? "frag,hit,bytes" : sort)) {
    const auto* const found = std::ranges::find(kWords, word, &std::pair<std::string_view, SlabKey>::first);
    if (found == std::end(kWords))
      return std::unexpected(Error{ErrorKind::Usage, fmt::format("Unknown slab --sort key: '{}'", word)}.with_hint(
          "there are ptr, callsite, bytes, hit, pingpong, frag"));
    keys.push_back(found->second);
  }
  return keys;
}

std::weak_ordering larger_first(const SlabRow& a, const SlabRow& b, SlabKey key) {
  switch (key) {
    case SlabKey::Key:
      return b.key <=> a.key;
    case SlabKey::Bytes:
      return b.allocated <=> a.allocated;
    case SlabKey::Hits:
      return b.hits <=> a.hits;
    case SlabKey::PingPongs:
      return b.ping_pongs <=> a.ping_pongs;
    case SlabKey::Fragmentation:
      return std::weak_order(b.fragmentation(), a.fragmentation());
  }
  return std::weak_ordering::equivalent;
}

std::vector<SlabRow> sorted(std::vector<SlabRow> rows, const std::vector<SlabKey>& keys) {
  std::ranges::sort(rows, [&](const SlabRow& a, const SlabRow& b) {
    for (const SlabKey key : keys)
      if (const auto order = larger_first(a, b, key); order != 0) return order < 0;
    return a.key < b.key;
  });
  return rows;
}

std::vector<i32> nodes_of(const data::Reader& reader) {
  std::vector<i32> node_of;
  const auto& nodes = reader.header().features.numa_topology;
  if (!nodes) return node_of;
  for (const data::NumaNode& node : *nodes)
    for (const u32 cpu : parse_number_list(node.cpus).value_or(std::vector<u32>())) {
      if (cpu >= node_of.size()) node_of.resize(cpu + 1, 0);
      node_of[cpu] = static_cast<i32>(node.id);
    }
  return node_of;
}

Result<int> kmem_stat(O& options, Invocation& call) {
  const auto caller_keys = keys_of(options.caller_sort), address_keys = keys_of(options.address_sort);
  if (!caller_keys) return std::unexpected(caller_keys.error());
  if (!address_keys) return std::unexpected(address_keys.error());
  if (options.page)
    return std::unexpected(Error{ErrorKind::Unsupported, "--page: pages are not summed up yet"}.with_hint(
        "`record -e kmem:mm_page_alloc -g -a` and `script --count-by order,migratetype` count them"));
  if (options.input.dump) return dump_traced(options.input, call);
  auto opened = open_traced(options.input, {.force = options.input.force}, call);
  if (!opened) return kNotOpened;
  TracedRecording& recording = *opened;
  SlabUsage usage(*recording.reader, nodes_of(*recording.reader));
  SampleFilter filter;
  if (!options.times.empty()) {
    auto times = choose_times(options.times, *recording.reader);
    if (!times) return std::unexpected(std::move(times.error()));
    filter.times = std::move(*times);
  }
  PEREGRINE_TRY(replay_traced(recording, usage, call, std::move(filter)));
  if (!usage.tracepoints().any()) {
    call.messages.error(
        {ErrorKind::Unsupported, "No slab allocation events found.  Have you run 'perf kmem record --slab'?"});
    return 255;
  }
  Resolver resolver(*recording.machine);
  const auto name = [&](u64 place) {
    if (options.raw) return fmt::format("0x{:x}", place);
    const auto& context = resolver.context(0, 0, kForever);
    const Frame& frame = resolver.at(resolver.frame(context, place, abi::misc_bit::Kernel));
    if (!frame.symbol) return fmt::format("0x{:x}", place);
    return fmt::format("{}+{:x}", resolver.symbol_name(frame), resolver.symbol_offset(frame));
  };
  if (options.callers)
    print_slab_rows(sorted(usage.by_caller(), *caller_keys), {"Callsite", name, options.caller_lines}, call.out);
  if (options.addresses)
    print_slab_rows(sorted(usage.by_address(), *address_keys),
                    {"Alloc Ptr", [](u64 address) { return fmt::format("0x{:x}", address); }, options.address_lines},
                    call.out);
  print_slab_totals(usage.totals(), call.out);
  return 0;
}

// The user's options and command are record's own.
Result<int> kmem_record(Invocation& call) {
  std::vector<std::string> words{"-a", "-R", "-c", "1"};
  RecordableTracepoints("kmem").add_events(
      {"kmalloc", "kmalloc_node", "kfree", "kmem_cache_alloc", "kmem_cache_alloc_node", "kmem_cache_free"}, words);
  for (const std::string& word : call.arguments)
    if (word != "--slab") words.push_back(word);
  return run_other(kRecord, std::move(words), call);
}

constexpr Command kKmemRecord{
    .name = "kmem record", .summary = "Record allocations", .passes_to = &kRecord, .run = kmem_record};
constexpr Command kKmemStat{
    .name = "kmem stat", .summary = "Sum allocations up", .options = kOptions, .run = entry<KmemOptions, kmem_stat>};
constexpr const Command* kParts[] = {&kKmemRecord, &kKmemStat};

}  // namespace

constinit const Command kKmem{.name = "kmem",
                              .summary = "Who allocates the kernel's memory",
                              .usage = kUsage,
                              .options = kOptions,
                              .parts = kParts,
                              .words_at = Words::StopAtFirst,
                              .paging = Paging::ToTerminal,
                              .examples = kExamples,
                              .run = run_part};

}  // namespace peregrine::cmd
