// Metrics over events that a PMU exports in sysfs.
//
// Top-down slots: A. Yasin, "A Top-Down Method for Performance Analysis and Counters Architecture" (ISPASS 2014),
// divides issue slots into retiring, bad speculation, frontend bound and backend bound. Intel SDM volume 3,
// "Performance Monitoring", MSR_PERF_METRICS: its fields are shares of TOPDOWN.SLOTS, with level 2 inside level 1.
//
// Transactions: Intel SDM volume 3, "Performance Monitoring and Intel TSX": cycles in transactions relative to all
// cycles, aborted cycles as the difference from IN_TXCP, mean length per started transaction or elision.
//
// System management interrupts: APERF keeps counting in them, while the cycle counter is frozen (FREEZE_WHILE_SMM). The
// difference was spent in SMIs.
#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "abi/attr.h"
#include "analysis/stat/metric_base.h"
#include "analysis/stat/stat_metric.h"
#include "event/spec.h"

namespace peregrine {

namespace {

using Format = StatMetric::Format;
using Metrics = std::vector<StatMetric>;

StatMetric share(const char* unit, double part, const BaseCount& whole) {
  return metric_of(Format::Share, unit, std::max(part, 0.0), whole, 100);
}

// Top-down from four core counters (before Ice Lake, and on Atom).

double slots_of(const MetricBase& base, const char* name) { return base.named(name).count.value_or(0); }

double bad_speculation_slots(const MetricBase& base) {
  return std::max(slots_of(base, "topdown-slots-issued") - slots_of(base, "topdown-slots-retired") +
                      slots_of(base, "topdown-recovery-bubbles"),
                  0.0);
}

Metrics counted_slots(std::string_view name, double count, const MetricBase& base) {
  const BaseCount total = base.named("topdown-total-slots");
  if (name == "topdown-fetch-bubbles") return {share("frontend bound", count, total)};
  if (name == "topdown-slots-retired") return {share("retiring", count, total)};
  if (name == "topdown-recovery-bubbles") return {share("bad speculation", bad_speculation_slots(base), total)};
  if (name != "topdown-slots-issued") return {};
  const double others =
      bad_speculation_slots(base) + slots_of(base, "topdown-fetch-bubbles") + slots_of(base, "topdown-slots-retired");
  // Without recovery bubbles, bad speculation cannot be distinguished from backend bound.
  const char* unit = base.has_named("topdown-recovery-bubbles") ? "backend bound" : "backend bound/bad spec";
  return {share(unit, total.count.value_or(0) - others, total)};
}

// Top-down from the metrics register (Ice Lake and later; level 2 since Sapphire Rapids).

struct SlotShare {
  const char* event;
  const char* unit;
  const char* parent = nullptr;  // level 2: the level 1 event that contains it
  const char* rest = nullptr;    // level 2: name for the remainder of `parent`
};
constexpr std::array kSlotShares{
    SlotShare{"topdown-retiring", "Retiring"},
    SlotShare{"topdown-bad-spec", "Bad Speculation"},
    SlotShare{"topdown-fe-bound", "Frontend Bound"},
    SlotShare{"topdown-be-bound", "Backend Bound"},
    SlotShare{"topdown-heavy-ops", "Heavy Operations", "topdown-retiring", "Light Operations"},
    SlotShare{"topdown-br-mispredict", "Branch Mispredict", "topdown-bad-spec", "Machine Clears"},
    SlotShare{"topdown-fetch-lat", "Fetch Latency", "topdown-fe-bound", "Fetch Bandwidth"},
    SlotShare{"topdown-mem-bound", "Memory Bound", "topdown-be-bound", "Core Bound"},
};
constexpr std::size_t kFirstLevel = 4;

// All slots, as the sum of the four level 1 shares, because TOPDOWN.SLOTS itself may not have been requested.
BaseCount all_slots(const MetricBase& base) {
  BaseCount sum{0.0, {}};
  for (std::size_t i = 0; i < kFirstLevel; ++i) {
    const BaseCount part = base.named(kSlotShares[i].event);
    if (!part.count && !part.reason.ends_with(" counted 0")) return {std::nullopt, part.reason};
    *sum.count += part.count.value_or(0);
  }
  if (*sum.count <= 0) return {std::nullopt, "no slots were counted"};
  return sum;
}

Metrics metered_slots(std::string_view name, double count, const MetricBase& base) {
  const auto found = std::ranges::find(kSlotShares, name, &SlotShare::event);
  if (found == kSlotShares.end()) return {};
  const BaseCount total = all_slots(base);
  Metrics metrics{share(found->unit, count, total)};
  if (found->parent == nullptr) return metrics;
  metrics.push_back(share(found->rest, slots_of(base, found->parent) - count, total));
  metrics.back().same_line = true;
  return metrics;
}

Metrics transactions(std::string_view name, double count, const MetricBase& base) {
  const BaseCount cycles = base.hardware(abi::HardwareEvent::Cycles);
  const BaseCount inside = base.named("cycles-t");
  if (name == "cycles-t") return {metric_of(Format::Percent, "transactional cycles", count, cycles, 100)};
  if (name == "cycles-ct")
    return {metric_of(Format::Percent, "aborted cycles", std::max(inside.count.value_or(0) - count, 0.0), cycles, 100)};
  const char* unit = name == "tx-start" ? "cycles / transaction" : name == "el-start" ? "cycles / elision" : nullptr;
  if (unit == nullptr) return {};
  StatMetric metric{.format = Format::Whole, .unit = unit, .reason = inside.reason};
  if (inside.count && count > 0) metric.value = *inside.count / count;
  return {metric};
}

Metrics system_management(std::string_view name, double count, const MetricBase& base) {
  if (name != "smi") return {};
  const BaseCount actual = base.named("aperf");
  if (!actual.count && actual.reason.empty()) return {};
  const BaseCount cycles = base.hardware(abi::HardwareEvent::Cycles);
  StatMetric metric{
      .format = Format::Share, .unit = "SMI cycles%", .reason = actual.reason.empty() ? cycles.reason : actual.reason};
  if (actual.count && cycles.count) metric.value = 100 * std::max(*actual.count - *cycles.count, 0.0) / *actual.count;
  return {metric, {.format = Format::Count, .value = count, .unit = "SMI#", .same_line = true}};
}

}  // namespace

std::vector<StatMetric> named_metrics(const EventSpec& spec, double count, const MetricBase& base) {
  const std::string_view name = plain_event_name(spec);
  for (const auto& family : {counted_slots, metered_slots, transactions, system_management})
    if (Metrics metrics = family(name, count, base); !metrics.empty()) return metrics;
  return {};
}

}  // namespace peregrine
