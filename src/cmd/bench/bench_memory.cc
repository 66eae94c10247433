// bench mem: the options of its benchmarks.
#include <algorithm>
#include <iterator>

#include "cmd/bench/bench_trials.h"
#include "session/bench/memory_trials.h"

namespace peregrine::cmd {
namespace {

constexpr Option kMemoryOptions[] = {
    {.name = "size",
     .letter = 's',
     .value = Value::Required,
     .metavar = "1MB",
     .help = "memory size, with suffix B, KB, MB, GB or TB (default: 1MB)",
     .store = set<&MemoryTrialRequest::size>},
    {.name = "function",
     .letter = 'f',
     .value = Value::Required,
     .metavar = "all",
     .help = "use this function (only default, the C library's); help: list them",
     .store = set<&MemoryTrialRequest::function>},
    {.name = "nr_loops",
     .letter = 'l',
     .value = Value::Required,
     .metavar = "n",
     .help = "repeat n times (default: 1)",
     .store = set<&MemoryTrialRequest::loops>},
    {.name = "cycles", .letter = 'c', .help = "count cycles instead of time"},
    kSimple<&MemoryTrialRequest::simple>,
};

template <MemoryWork kWork>
Result<int> memory(MemoryTrialRequest& request, Invocation& call) {
  if (request.function != "all" && request.function != "default") {
    if (request.function != "help") call.messages.verbatim(fmt::format("Unknown function: {}\n", request.function));
    call.out.format("Available functions:\n\tdefault ... {}\n", describe(kWork));
    return 1;
  }
  PEREGRINE_TRY(run_memory_trial(kWork, request, call.out));
  return 0;
}

constexpr Option kMappingOptions[] = {
    {.name = "size",
     .letter = 's',
     .value = Value::Required,
     .metavar = "1MB",
     .help = "size of each mapping, with suffix B, KB, MB, GB or TB (default: 1MB)",
     .store = set<&MemoryTrialRequest::size>},
    {.name = "function",
     .letter = 'f',
     .value = Value::Required,
     .metavar = "all",
     .help = "demand: touch each page; populate: let mmap(2) populate it; help: list them",
     .store = set<&MemoryTrialRequest::function>},
    {.name = "nr_loops",
     .letter = 'l',
     .value = Value::Required,
     .metavar = "n",
     .help = "repeat n times (default: 1)",
     .store = set<&MemoryTrialRequest::loops>},
    kSimple<&MemoryTrialRequest::simple>,
};

Result<int> map_memory(MemoryTrialRequest& request, Invocation& call) {
  const bool known = request.function == "all" ||
                     std::ranges::find(kMappingWays, request.function, &MappingWay::name) != std::end(kMappingWays);
  if (!known) {
    if (request.function != "help") call.messages.verbatim(fmt::format("Unknown function: {}\n", request.function));
    call.out.append("Available functions:\n");
    for (const MappingWay& way : kMappingWays) call.out.format("\t{} ... {}\n", way.name, way.summary);
    return 1;
  }
  PEREGRINE_TRY(run_mapping_trial(request, call.out));
  return 0;
}

constexpr Option kBitOptions[] = {
    {.name = "outer-iterations",
     .letter = 'i',
     .value = Value::Required,
     .metavar = "n",
     .help = "outer iterations, averaged (default: 5)",
     .store = set<&BitTrialRequest::outer>},
    {.name = "inner-iterations",
     .letter = 'j',
     .value = Value::Required,
     .metavar = "n",
     .help = "searches of a bitmap per outer iteration (default: 100000)",
     .store = set<&BitTrialRequest::inner>},
    kSimple<&BitTrialRequest::simple>,
};

Result<int> find_bit(BitTrialRequest& request, Invocation& call) {
  run_bit_trial(request, call.out);
  return 0;
}

constexpr Command kMemcpy{.name = "bench mem memcpy",
                          .summary = "Copying memory",
                          .usage = kTrialUsage,
                          .options = kMemoryOptions,
                          .run = entry<MemoryTrialRequest, memory<MemoryWork::Copy>>};
constexpr Command kMemset{.name = "bench mem memset",
                          .summary = "Filling memory",
                          .usage = kTrialUsage,
                          .options = kMemoryOptions,
                          .run = entry<MemoryTrialRequest, memory<MemoryWork::Fill>>};

constexpr Command kMapping{.name = "bench mem mmap",
                           .summary = "Mapping and unmapping memory",
                           .usage = kTrialUsage,
                           .options = kMappingOptions,
                           .run = entry<MemoryTrialRequest, map_memory>};
constexpr Command kFindBit{.name = "bench mem find_bit",
                           .summary = "Finding set bits in a bitmap",
                           .usage = kTrialUsage,
                           .options = kBitOptions,
                           .run = entry<BitTrialRequest, find_bit>};
constexpr Trial kMemory[] = {{"memcpy", &kMemcpy}, {"memset", &kMemset}, {"mmap", &kMapping}, {"find_bit", &kFindBit}};

}  // namespace

std::span<const Trial> memory_trials() { return kMemory; }

}  // namespace peregrine::cmd
