#include "analysis/hist/quality/stack_health.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <string_view>
#include <vector>

#include "analysis/hist/chain/chain_tree.h"
#include "analysis/hist/chain/hist_frame.h"
#include "base/percent.h"
#include "base/types.h"
#include "machine/process/moment.h"

namespace peregrine {
namespace {

constexpr double kNoteworthyChains = 0.05;  // of all chains
constexpr u64 kTooFewChains = 20;           // below this, percentages are meaningless
constexpr u8 kNoInterpreter = 0xff;

struct Interpreter {
  std::string_view name;
  std::array<std::string_view, 2> binaries;  // prefixes of their file names
  std::string_view remedy;
};
constexpr std::array kInterpreters{
    Interpreter{"Python", {"python", "libpython"}, "python3 -X perf (since 3.12)"},
    Interpreter{"JavaScript", {"node", "libnode"}, "node --perf-basic-prof"},
    Interpreter{"Java", {"libjvm", "libjvm"}, "java -XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit"},
    Interpreter{".NET", {"libcoreclr", "dotnet"}, "DOTNET_PerfMapEnabled=1"},
};

u8 interpreter_of(const Dso& dso) {
  if (dso.kind != DsoKind::File) return kNoInterpreter;
  const auto runs = [&](const Interpreter& each) {
    return std::ranges::any_of(each.binaries, [&](std::string_view name) { return dso.short_name.starts_with(name); });
  };
  const auto found = std::ranges::find_if(kInterpreters, runs);
  return found == kInterpreters.end() ? kNoInterpreter : static_cast<u8>(found - kInterpreters.begin());
}

// Facts about a chain, gathered from its outermost frame inwards.
struct ChainFacts {
  bool in_user_space = false;  // outermost frame is user space
  bool broken = false;         // outermost frame is unmapped
  u32 next_dso = HistFrame::kNone;
  u8 interpreter = kNoInterpreter;
  bool names_functions = false;  // has a named function in JIT-compiled code
};

class ChainJudge {
 public:
  ChainJudge(const Hists& hists, const DsoTable& dsos) : hists_(hists), dsos_(dsos) {
    for (u32 at = 0; at < dsos.size(); ++at) interpreters_.push_back(interpreter_of(dsos.at(DsoId(at))));
    facts_.resize(hists.chains().size());
    for (u32 at = 1; at < facts_.size(); ++at) facts_[at] = judge(ChainId(at));
  }
  const ChainFacts& operator[](u32 chain) const { return facts_[chain]; }

 private:
  ChainFacts judge(ChainId chain) const {
    constexpr u64 kKernelHalf = u64{1} << 63;
    const ChainId parent = hists_.chains().parent(chain);
    const HistFrame& frame = hists_.frames()[hists_.chains().frame(chain)];
    const bool mapped = frame.dso < dsos_.size();
    ChainFacts facts = facts_[parent.value];
    if (parent == kRootChain) {
      facts.in_user_space = frame.level == '.' && frame.address < kKernelHalf;
      facts.broken = facts.in_user_space && !mapped;
    } else if (hists_.chains().parent(parent) == kRootChain) {
      facts.next_dso = frame.dso;
    }
    if (!mapped) return facts;
    if (interpreters_[frame.dso] != kNoInterpreter) facts.interpreter = interpreters_[frame.dso];
    const DsoKind kind = dsos_.at(DsoId(frame.dso)).kind;
    if ((kind == DsoKind::Anonymous || kind == DsoKind::JitDump) && frame.symbol != HistFrame::kNone)
      facts.names_functions = true;
    return facts;
  }

  const Hists& hists_;
  const DsoTable& dsos_;
  std::vector<u8> interpreters_;   // by dso
  std::vector<ChainFacts> facts_;  // by chain; parents come before their children
};

bool noteworthy(u64 part, u64 whole) {
  return whole >= kTooFewChains && static_cast<double>(part) >= kNoteworthyChains * static_cast<double>(whole);
}

}  // namespace

StackHealth stack_health_of(const Hists& hists, const DsoTable& dsos) {
  const ChainJudge judge(hists, dsos);
  StackHealth health;
  std::map<u32, u64> broken_by_dso;
  std::array<u64, kInterpreters.size()> interpreted{};
  for (const HistEntry& entry : hists.entries()) {
    const ChainFacts& facts = judge[entry.chain];
    if (!facts.in_user_space) continue;
    health.samples += entry.samples;
    if (facts.broken) {
      health.broken += entry.samples;
      broken_by_dso[facts.next_dso] += entry.samples;
    }
    if (facts.interpreter != kNoInterpreter && !facts.names_functions) interpreted[facts.interpreter] += entry.samples;
  }
  if (!broken_by_dso.empty())
    health.broken_dso =
        std::ranges::max_element(broken_by_dso, {}, [](const auto& item) { return item.second; })->first;
  const auto most = std::ranges::max_element(interpreted);
  health.interpreted = *most;
  health.interpreter = kInterpreters[static_cast<std::size_t>(most - interpreted.begin())].name;
  return health;
}

std::string explain_broken_stacks(const StackHealth& health, const DsoTable& dsos) {
  if (!noteworthy(health.broken, health.samples)) return {};
  const std::string where = health.broken_dso < dsos.size()
                                ? fmt::format(", mostly in {}", dsos.at(DsoId(health.broken_dso)).short_name)
                                : std::string();
  return fmt::format("{:.0f}% of stacks are truncated{} (no frame pointers); use perf record --call-graph dwarf",
                     percent_of(health.broken, health.samples), where);
}

std::string explain_interpreted_stacks(const StackHealth& health) {
  if (!noteworthy(health.interpreted, health.samples)) return {};
  const auto found = std::ranges::find(kInterpreters, health.interpreter, &Interpreter::name);
  return fmt::format("{:.0f}% of stacks lack the names of {} functions; to record them: {}",
                     percent_of(health.interpreted, health.samples), found->name, found->remedy);
}

}  // namespace peregrine
