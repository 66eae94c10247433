// bench mem: copying and filling memory, and finding bits.
#include <algorithm>
#include <charconv>

#include "cmd/bench/bench_trials.h"
#include "trial/bit_search.h"
#include "trial/memory_copy.h"

namespace peregrine::cmd {
namespace {

struct MemoryOptions {
  bool simple = false;
  std::string size = "1MB", function = "all";
  u64 loops = 1;
};
constexpr Option kMemoryOptions[] = {
    {.name = "size",
     .letter = 's',
     .value = Value::Required,
     .metavar = "1MB",
     .help = "memory size, with suffix B, KB, MB, GB or TB (default: 1MB)",
     .store = set<&MemoryOptions::size>},
    {.name = "function",
     .letter = 'f',
     .value = Value::Required,
     .metavar = "all",
     .help = "use this function (only default, the C library's); help: list them",
     .store = set<&MemoryOptions::function>},
    {.name = "nr_loops",
     .letter = 'l',
     .value = Value::Required,
     .metavar = "n",
     .help = "repeat n times (default: 1)",
     .store = set<&MemoryOptions::loops>},
    {.name = "cycles", .letter = 'c', .help = "count cycles instead of time"},
    kSimple<&MemoryOptions::simple>,
};

// "64KB", "2mb", "100": bytes.
Result<u64> memory_size(std::string_view text) {
  u64 number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  std::string unit(end, text.data() + text.size());
  for (char& c : unit) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  constexpr std::string_view kUnits[] = {"B", "KB", "MB", "GB", "TB"};
  unsigned shift = 0;
  for (const std::string_view known : kUnits) {
    const bool same = unit == known || (unit.size() == 1 && unit[0] == known[0]) || (unit.empty() && known == "B");
    if (error == std::errc() && same && number > 0 && number <= (u64{1} << 50) >> shift) return number << shift;
    shift += 10;
  }
  return std::unexpected(Error{ErrorKind::Usage, fmt::format("Invalid size:{}", text), "such as 64KB, 1MB, 2GB"});
}

std::string speed(double bytes_per_second) {
  constexpr std::string_view kUnits[] = {"bytes", "KB", "MB", "GB"};
  std::size_t unit = 0;
  for (; unit + 1 < std::size(kUnits) && bytes_per_second >= 1024; ++unit) bytes_per_second /= 1024;
  return fmt::format(" {:14.6f} {}/sec", bytes_per_second, kUnits[unit]);
}

template <MemoryWork kWork>
Result<int> memory(MemoryOptions& options, Invocation& call) {
  const std::string line =
      fmt::format("Default {}() of the C library", kWork == MemoryWork::Copy ? "memcpy" : "memset");
  if (options.function != "all" && options.function != "default") {
    if (options.function != "help") call.messages.verbatim(fmt::format("Unknown function: {}\n", options.function));
    call.out.format("Available functions:\n\tdefault ... {}\n", line);
    return 1;
  }
  const auto bytes = memory_size(options.size);
  if (!bytes) return std::unexpected(bytes.error());
  const auto rate = run_memory(kWork, *bytes, std::max<u64>(options.loops, 1));
  if (!rate) return std::unexpected(rate.error());
  call.out.format("# function 'default' ({})\n", line);
  if (options.simple)
    call.out.format("{:.6f}\n", *rate);
  else
    call.out.format("# Copying {} bytes ...\n\n{}\n", options.size, speed(*rate));
  return 0;
}

constexpr Option kMappingOptions[] = {
    {.name = "size",
     .letter = 's',
     .value = Value::Required,
     .metavar = "1MB",
     .help = "size of each mapping, with suffix B, KB, MB, GB or TB (default: 1MB)",
     .store = set<&MemoryOptions::size>},
    {.name = "function",
     .letter = 'f',
     .value = Value::Required,
     .metavar = "all",
     .help = "demand: touch each page; populate: let mmap(2) populate it; help: list them",
     .store = set<&MemoryOptions::function>},
    {.name = "nr_loops",
     .letter = 'l',
     .value = Value::Required,
     .metavar = "n",
     .help = "repeat n times (default: 1)",
     .store = set<&MemoryOptions::loops>},
    kSimple<&MemoryOptions::simple>,
};

Result<int> map_memory(MemoryOptions& options, Invocation& call) {
  struct Way {
    std::string_view name, summary;
    MapWork work;
  };
  constexpr Way kWays[] = {{"demand", "mmap() and a touch of each page", MapWork::Demand},
                           {"populate", "mmap() with MAP_POPULATE", MapWork::Populate}};
  const bool all = options.function == "all";
  if (!all && std::ranges::find(kWays, options.function, &Way::name) == std::end(kWays)) {
    if (options.function != "help") call.messages.verbatim(fmt::format("Unknown function: {}\n", options.function));
    call.out.append("Available functions:\n");
    for (const Way& way : kWays) call.out.format("\t{} ... {}\n", way.name, way.summary);
    return 1;
  }
  const auto bytes = memory_size(options.size);
  if (!bytes) return std::unexpected(bytes.error());
  for (const Way& way : kWays) {
    if (!all && way.name != options.function) continue;
    const auto rate = run_mapping(way.work, *bytes, std::max<u64>(options.loops, 1));
    if (!rate) return std::unexpected(rate.error());
    call.out.format("# function '{}' ({})\n", way.name, way.summary);
    if (options.simple)
      call.out.format("{:.6f}\n", *rate);
    else
      call.out.format("# Mapping {} bytes ...\n\n{}\n", options.size, speed(*rate));
  }
  return 0;
}

struct BitOptions {
  bool simple = false;
  unsigned outer = 5, inner = 100'000;
};
constexpr Option kBitOptions[] = {
    {.name = "outer-iterations",
     .letter = 'i',
     .value = Value::Required,
     .metavar = "n",
     .help = "outer iterations, averaged (default: 5)",
     .store = set<&BitOptions::outer>},
    {.name = "inner-iterations",
     .letter = 'j',
     .value = Value::Required,
     .metavar = "n",
     .help = "searches of a bitmap per outer iteration (default: 100000)",
     .store = set<&BitOptions::inner>},
    kSimple<&BitOptions::simple>,
};

Result<int> find_bit(BitOptions& options, Invocation& call) {
  constexpr unsigned kLongest = 2048;
  for (unsigned bits = 1; bits <= kLongest; bits *= 2) {
    for (unsigned set = 1; set <= bits; set *= 2) {
      RunStats next, each;
      for (unsigned i = 0; i < options.outer; ++i) {
        const BitSearch search{bits, set, options.inner};
        next.add(run_next_set_bit(search) * 1e6);
        each.add(run_each_bit(search) * 1e6);
      }
      call.out.format("{} operations {} bits set of {} bits\n", options.inner, set, bits);
      call.out.format("  Average for_each_set_bit took: {:.3f} usec (+- {:.3f} usec)\n", next.mean(), next.error());
      call.out.format("  Average test_bit loop took:    {:.3f} usec (+- {:.3f} usec)\n", each.mean(), each.error());
    }
  }
  return 0;
}

constexpr Command kMemcpy{.name = "bench mem memcpy",
                          .summary = "Copying memory",
                          .usage = kTrialUsage,
                          .options = kMemoryOptions,
                          .run = entry<MemoryOptions, memory<MemoryWork::Copy>>};
constexpr Command kMemset{.name = "bench mem memset",
                          .summary = "Filling memory",
                          .usage = kTrialUsage,
                          .options = kMemoryOptions,
                          .run = entry<MemoryOptions, memory<MemoryWork::Fill>>};

constexpr Command kMapping{.name = "bench mem mmap",
                           .summary = "Mapping and unmapping memory",
                           .usage = kTrialUsage,
                           .options = kMappingOptions,
                           .run = entry<MemoryOptions, map_memory>};
constexpr Command kFindBit{.name = "bench mem find_bit",
                           .summary = "Finding set bits in a bitmap",
                           .usage = kTrialUsage,
                           .options = kBitOptions,
                           .run = entry<BitOptions, find_bit>};
constexpr Trial kMemory[] = {{"memcpy", &kMemcpy}, {"memset", &kMemset}, {"mmap", &kMapping}, {"find_bit", &kFindBit}};

}  // namespace

std::span<const Trial> memory_trials() { return kMemory; }

}  // namespace peregrine::cmd
