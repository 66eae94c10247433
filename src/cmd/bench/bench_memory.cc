// bench mem: the options of its benchmarks.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <span>

#include "base/result.h"
#include "cli/frame/command.h"
#include "cli/option/option.h"
#include "cmd/bench/bench_trials.h"
#include "session/bench/memory_trials.h"
#include "trial/memory_copy.h"

namespace peregrine::cmd {
namespace {

constexpr Option kMemoryOptions[] = {
    trial_value<&MemoryTrialRequest::size>("size", 's', "1MB",
                                           "set the memory size, with suffix B, KB, MB, GB or TB (default: 1MB)"),
    trial_value<&MemoryTrialRequest::function>(
        "function", 'f', "all", "measure this function: default (the C library's); help: list functions"),
    trial_value<&MemoryTrialRequest::loops>("nr_loops", 'l', "n", "repeat n times (default: 1)"),
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
    trial_value<&MemoryTrialRequest::size>(
        "size", 's', "1MB", "set the size of each mapping, with suffix B, KB, MB, GB or TB (default: 1MB)"),
    trial_value<&MemoryTrialRequest::function>(
        "function", 'f', "all",
        "measure this function: demand (touch each page) or populate (use MAP_POPULATE); help: list functions"),
    trial_value<&MemoryTrialRequest::loops>("nr_loops", 'l', "n", "repeat n times (default: 1)"),
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
    trial_value<&BitTrialRequest::outer>("outer-iterations", 'i', "n",
                                         "average over this many outer iterations (default: 5)"),
    trial_value<&BitTrialRequest::inner>("inner-iterations", 'j', "n",
                                         "search a bitmap this many times per outer iteration (default: 100000)"),
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
