#include "event/filter/sample_filter.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <expected>
#include <span>
#include <string>
#include <utility>

#include "abi/attr.h"
#include "base/nearest.h"
#include "base/number/parse_number.h"
#include "base/types.h"
#include "event/filter/filter_scanner.h"
#include "event/syntax_error.h"

namespace peregrine {
namespace {

namespace bit = abi::sample_bit;

struct FilterWord {
  std::string_view name;
  u64 value = 0;
};

constexpr FilterWord kFilterOperations[] = {{"na", 1}, {"load", 2}, {"store", 4}, {"pfetch", 8}, {"exec", 16}};
constexpr FilterWord kLevels[] = {{"l1", 1},  {"l2", 2},         {"l3", 3},   {"l4", 4},   {"cxl", 9},
                                  {"io", 10}, {"any_cache", 11}, {"lfb", 12}, {"ram", 13}, {"pmem", 14}};
constexpr FilterWord kSnoops[] = {{"na", 1}, {"none", 2}, {"hit", 4}, {"miss", 8}, {"hitm", 16}};
constexpr FilterWord kFarSnoops[] = {{"fwd", 1}, {"peer", 2}};
constexpr FilterWord kRemote[] = {{"remote", 1}};
constexpr FilterWord kLocks[] = {{"na", 1}, {"locked", 2}};
constexpr FilterWord kTlb[] = {{"na", 1},      {"l1_hit", 10},  {"l1_miss", 12}, {"l2_hit", 18}, {"l2_miss", 20},
                               {"any_hit", 2}, {"any_miss", 4}, {"walk", 32},    {"fault", 64}};
constexpr FilterWord kBlocks[] = {{"na", 1}, {"by_data", 2}, {"by_addr", 4}};
constexpr FilterWord kHops[] = {{"hops0", 1}, {"hops1", 2}, {"hops2", 3}, {"hops3", 4}};

struct FilterPart {
  std::string_view name;
  sample_filter_part part;
  u64 needs = 0;
  u8 shift = 0, bits = 0;  // bit field within the 64 bits; 0 bits: all
  std::span<const FilterWord> words = {};
};

// Bit fields of mem_* are those of union perf_mem_data_src, of weight* those of perf_sample_weight
// (include/uapi/linux/perf_event.h). `needs`: the sample_type bits that the kernel must collect for the filter.
constexpr FilterPart kParts[] = {
    {"ip", kFilterIp, bit::Ip},
    {"id", kFilterId, bit::Id},
    {"tid", kFilterTid, bit::Tid},
    {"pid", kFilterPid, bit::Tid},
    {"cpu", kFilterCpu, bit::Cpu},
    {"time", kFilterTime, bit::Time},
    {"addr", kFilterAddr, bit::Addr},
    {"period", kFilterPeriod, bit::Period},
    {"txn", kFilterTransaction, bit::Transaction},
    {"weight", kFilterWeight, bit::WeightStruct, 0, 32},
    {"weight1", kFilterWeight, bit::WeightStruct, 0, 32},
    {"weight2", kFilterWeight, bit::WeightStruct, 32, 16},
    {"weight3", kFilterWeight, bit::WeightStruct, 48, 16},
    {"ins_lat", kFilterWeight, bit::WeightStruct, 32, 16},
    {"retire_lat", kFilterWeight, bit::WeightStruct, 48, 16},
    {"p_stage_cyc", kFilterWeight, bit::WeightStruct, 48, 16},
    {"phys_addr", kFilterPhysAddr, bit::PhysAddr},
    {"code_pgsz", kFilterCodePageSize, bit::CodePageSize},
    {"data_pgsz", kFilterDataPageSize, bit::DataPageSize},
    {"cgroup", kFilterCgroup, bit::Cgroup},
    {"uid", kFilterUid},
    {"gid", kFilterGid},
    {"mem_op", kFilterDataSource, bit::DataSrc, 0, 5, kFilterOperations},
    {"mem_lvl", kFilterDataSource, bit::DataSrc, 33, 4, kLevels},
    {"mem_snoop", kFilterDataSource, bit::DataSrc, 19, 5, kSnoops},
    {"mem_remote", kFilterDataSource, bit::DataSrc, 37, 1, kRemote},
    {"mem_lock", kFilterDataSource, bit::DataSrc, 24, 2, kLocks},
    {"mem_dtlb", kFilterDataSource, bit::DataSrc, 26, 7, kTlb},
    {"mem_blk", kFilterDataSource, bit::DataSrc, 40, 3, kBlocks},
    {"mem_hops", kFilterDataSource, bit::DataSrc, 43, 3, kHops},
};

class SampleFilterParser : FilterScanner {
 public:
  explicit SampleFilterParser(std::string_view text) : FilterScanner(text) {}

  Parsed<SampleFilterCode> run() {
    skip_blanks();
    if (at_end()) return wrong(0, "empty filter");
    if (auto done = joined(0); !done) return std::unexpected(std::move(done.error()));
    if (!at_end()) return wrong(at(), next_is(")") ? "unmatched ')'" : "expected && or ||");
    return std::move(filter_);
  }

 private:
  static constexpr unsigned kDeepest = 32;

  std::string_view take_name() {
    const auto word = take_word();
    skip_blanks();
    return word;
  }
  Parsed<void> push(sample_filter_step step, std::size_t column) {
    if (filter_.steps.size() == kFilterSteps)
      return wrong(column, fmt::format("more than {} tests and operators", int{kFilterSteps}));
    filter_.steps.push_back(step);
    return {};
  }

  // Binds, from loosest to tightest: comma, ||, &&.
  Parsed<void> joined(unsigned level) {
    struct Joint {
      std::string_view name;
      sample_filter_op op;
    };
    constexpr Joint kJoints[] = {{",", kFilterAnd}, {"||", kFilterOr}, {"&&", kFilterAnd}};
    if (level == std::size(kJoints)) return one();
    if (auto done = joined(level + 1); !done) return done;
    while (true) {
      const std::size_t place = at();
      if (!take_token(kJoints[level].name)) return {};
      if (auto done = joined(level + 1); !done) return done;
      if (auto done = push({.op = static_cast<u16>(kJoints[level].op)}, place); !done) return done;
    }
  }

  Parsed<void> one() {
    const std::size_t place = at();
    if (++depth_ > kDeepest) return wrong(at(), "nested too deeply");
    Parsed<void> done;
    if (!next_is("!=") && take_token("!")) {
      done = one();
      if (done) done = push({.op = kFilterNot}, place);
    } else if (take_token("(")) {
      done = joined(0);
      if (done && !take_token(")")) done = wrong(place, "unmatched '('");
    } else {
      done = test();
    }
    --depth_;
    return done;
  }

  Parsed<void> test() {
    const std::size_t place = at();
    const std::string_view name = take_name();
    if (name.empty()) return wrong(place, "expected a sample field", "such as ip, period or cpu");
    const auto part = std::ranges::find(kParts, name, &FilterPart::name);
    if (part == std::end(kParts)) return std::unexpected(unknown_part(name, place));
    const std::size_t op_place = at();
    const auto op = std::ranges::find_if(kComparisons, [&](const Comparison& each) { return next_is(each.name); });
    if (op == std::end(kComparisons) || next_is("&&"))
      return wrong(op_place, fmt::format("expected an operator after '{}'", name), "use one of == != < <= > >= &");
    take_token(op->name);
    sample_filter_step step{static_cast<u16>(op->op), static_cast<u16>(part->part), part->shift, part->bits, 0, 0};
    const std::size_t value_place = at();
    auto value = value_of(*part, step);
    if (!value) return std::unexpected(std::move(value.error()));
    step.value = *value;
    filter_.needs |= part->needs;
    return push(step, value_place);
  }

  Parsed<u64> value_of(const FilterPart& part, sample_filter_step& step) {
    const std::size_t place = at();
    const std::string_view text = take_name();
    if (text.empty()) return wrong(place, "expected a value");
    if (const auto word = std::ranges::find(part.words, text, &FilterWord::name); word != part.words.end())
      return word->value;
    // Two of the snoop values are in separate bits.
    if (part.name == "mem_snoop") {
      if (const auto word = std::ranges::find(kFarSnoops, text, &FilterWord::name); word != std::end(kFarSnoops)) {
        step.shift = 38;
        step.bits = 2;
        return word->value;
      }
    }
    if (const auto value = parse_prefixed_number<u64>(text)) return *value;
    std::string words;
    for (const FilterWord& word : part.words) words += (words.empty() ? "" : ", ") + std::string(word.name);
    return wrong(place, fmt::format("invalid value '{}' for '{}'", text, part.name),
                 words.empty() ? "" : fmt::format("must be one of {}", words));
  }

  static SyntaxError unknown_part(std::string_view name, std::size_t place) {
    std::vector<std::string_view> names;
    std::string listed;
    for (const FilterPart& part : kParts) {
      names.push_back(part.name);
      listed += (listed.empty() ? "" : ", ") + std::string(part.name);
    }
    SyntaxError error{place, fmt::format("unknown sample field '{}'", name), "sample fields: " + listed, {}};
    if (const auto near = nearest(name, names)) error.hint = fmt::format("did you mean '{}'?", *near);
    return error;
  }

  SampleFilterCode filter_;
  unsigned depth_ = 0;
};

}  // namespace

Parsed<SampleFilterCode> parse_sample_filter(std::string_view text) { return SampleFilterParser(text).run(); }

}  // namespace peregrine
