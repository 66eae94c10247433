#include "event/vendor/named_event.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <expected>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>

#include "base/result.h"
#include "base/text/ascii.h"
#include "base/types.h"
#include "event/vendor/event_file.h"
#include "event/vendor/event_table.h"
#include "event/vendor/name_table.h"
#include "sys/root.h"

namespace peregrine {

namespace {

// Lower case, with '.' and ':' replaced by '_'.
std::string folded(std::string_view name) {
  std::string text = lower_case(name);
  std::ranges::replace_if(text, [](char c) { return c == '.' || c == ':'; }, '_');
  return text;
}

void add_term(std::string& terms, std::string_view key, u64 value) {
  if (value != 0) terms += fmt::format(",{}={:#x}", key, value);
}

// The format for the second register's value, for events that have one.
std::string_view extra_format(u64 config) {
  switch (config & 0xff) {
    case 0xcd:
      return "ldlat";
    case 0xc6:
      return "frontend";
    default:
      return "offcore_rsp";
  }
}

std::string terms_of(const event_table::Row& row, const ProcessorModel& model, bool uncore) {
  const bool intel = model.vendor == "GenuineIntel", amd = !intel && model.vendor != "arm";
  if (!intel && !amd) return fmt::format("event={:#x}", row.config);
  const u64 event = (row.config & 0xff) | (amd ? (row.config >> 32 & 0xf) << 8 : 0);
  std::string terms = fmt::format("event={:#x}", event);
  add_term(terms, "umask", row.config >> 8 & 0xff);
  add_term(terms, uncore ? "thresh" : "cmask", row.config >> 24 & 0xff);
  add_term(terms, "inv", row.config >> 23 & 1);
  add_term(terms, "any", row.config >> 21 & 1);
  add_term(terms, "edge", row.config >> 18 & 1);
  if (intel && !uncore) add_term(terms, extra_format(row.config), row.extra);
  return terms;
}

// Maps the part after the model in the name of a libpfm4 table to the PMU's name in sysfs.
std::string uncore_pmu(std::string_view box) {
  if (box == "l3") return "amd_l3";
  if (box == "cbo") return "uncore_cbox";
  if (box == "ubo") return "uncore_ubox";
  if (box == "sbo") return "uncore_sbox";
  return box.empty() ? "uncore" : "uncore_" + std::string(box);
}

}  // namespace

bool is_pmu_instance(std::string_view pmu, std::string_view wanted) {
  constexpr std::string_view kUncore = "uncore_";
  if (pmu.starts_with(kUncore) && !wanted.starts_with(kUncore)) pmu.remove_prefix(kUncore.size());
  if (!pmu.starts_with(wanted)) return false;
  pmu.remove_prefix(wanted.size());
  if (pmu.empty()) return true;
  return pmu.starts_with('_') && pmu.size() > 1 && pmu.find_first_not_of("0123456789", 1) == std::string_view::npos;
}

bool counts_on(const Pmu& pmu, std::string_view wanted) {
  return wanted.empty() ? pmu.is_core : is_pmu_instance(pmu.name, wanted);
}

NamedEvents::NamedEvents(const ProcessorModel& model, std::span<const std::string> files) : model_(model) {
  for (const auto& path : files) {
    const auto text = Root().read(path);
    const auto file = text ? parse_event_file(*text, path) : Result<EventFile>(std::unexpected(text.error()));
    if (!file) {
      problems_.push_back(file.error().message);
      continue;
    }
    events_.insert(events_.end(), file->events.begin(), file->events.end());
    problems_.insert(problems_.end(), file->problems.begin(), file->problems.end());
  }
  add_tables();
  add_names();
  if (model_.vendor == "GenuineIntel") add_thresholds();
  sort();
}

void NamedEvents::add_tables() {
  const auto tables = model_tables(model_);
  if (tables.core.empty()) return;
  for (std::size_t i = 0; i < event_table::kTableCount; ++i) {
    const auto& table = event_table::kTables[i];
    const std::string_view name = table.name;
    const bool wanted = table.uncore ? !tables.uncore.empty() && name.starts_with(tables.uncore) : name == tables.core;
    if (!wanted) continue;
    const auto read = event_table::read_rows(table);
    if (!read) {
      problems_.push_back(read.error().message);
      continue;
    }
    for (const event_table::Row& from : read->rows) {
      NamedEvent event;
      event.event.name = event_table::name_of(from.other);
      event.event.terms = terms_of(from, model_, table.uncore);
      event.other = from.other;
      event.description = from.text;
      event.config = from.config;
      event.extra = from.extra;
      if (table.uncore) event.pmu = uncore_pmu(name.substr(tables.uncore.size()));
      events_.push_back(std::move(event));
    }
  }
}

void NamedEvents::add_names() {
  const auto rows = model_.vendor == "GenuineIntel" ? intel_names() : amd_names();
  std::map<std::string_view, std::size_t> by_other;
  for (std::size_t i = 0; i < events_.size(); ++i)
    if (events_[i].pmu.empty() && !events_[i].other.empty()) by_other.emplace(events_[i].other, i);
  std::vector<NamedEvent> more;  // separate, because by_other refers to events_
  for (const auto& [name, other] : rows) {
    const auto at = by_other.find(other);
    if (at == by_other.end()) continue;
    more.push_back(events_[at->second]);
    more.back().event.name = name;
    more.back().other.clear();
  }
  events_.insert(events_.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

// Intel's lists have a separate name for each threshold of an event.
void NamedEvents::add_thresholds() {
  const auto family = [&](std::string_view other, std::string_view name, std::string_view term, unsigned first,
                          unsigned last, unsigned shift, u64 rest) {
    const auto base = std::find_if(events_.begin(), events_.end(), [&](const auto& e) { return e.other == other; });
    if (base == events_.end()) return;
    const NamedEvent like = *base;  // NOLINT(performance-unnecessary-copy-initialization): events_ grows below
    for (unsigned limit = first; limit <= last; limit *= 2) {
      NamedEvent event = like;
      event.extra = u64{limit} << shift | rest;
      event.event.name = fmt::format("{}{}", name, limit);
      event.event.terms = fmt::format("event={:#x},umask={:#x},{}={:#x}", like.config & 0xff, like.config >> 8 & 0xff,
                                      term, event.extra);
      event.description += fmt::format(", more than {} cycles", limit);
      event.long_description.clear();
      event.other.clear();
      events_.push_back(std::move(event));
    }
  };
  constexpr u64 kBubbles = 6 | 4u << 20;  // no micro-op delivered for this many cycles
  family("MEM_TRANS_RETIRED:LOAD_LATENCY", "mem_trans_retired.load_latency_gt_", "ldlat", 4, 512, 0, 0);
  family("FRONTEND_RETIRED:IDQ_4_BUBBLES", "frontend_retired.latency_ge_", "frontend", 1, 512, 8, kBubbles);
}

// The stable sort keeps equal names in order of precedence: the user's, then libpfm4's.
void NamedEvents::sort() {
  std::stable_sort(events_.begin(), events_.end(), [](const NamedEvent& a, const NamedEvent& b) {
    return std::tie(a.pmu, a.event.name) < std::tie(b.pmu, b.event.name);
  });
  for (std::size_t i = 0; i < events_.size(); ++i) {
    index_.emplace_back(folded(events_[i].event.name), i);
    if (!events_[i].other.empty()) index_.emplace_back(folded(events_[i].other), i);
  }
  std::stable_sort(index_.begin(), index_.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
}

std::vector<const NamedEvent*> NamedEvents::find(std::string_view name) const {
  const auto wanted = folded(name);
  auto at = std::lower_bound(index_.begin(), index_.end(), wanted,
                             [](const auto& entry, const std::string& text) { return entry.first < text; });
  std::vector<const NamedEvent*> found;
  for (; at != index_.end() && at->first == wanted; ++at) found.push_back(&events_[at->second]);
  return found;
}

const NamedEvent* NamedEvents::find(const Pmu& pmu, std::string_view name) const {
  for (const NamedEvent* event : find(name))
    if (counts_on(pmu, event->pmu)) return event;
  return nullptr;
}

const NamedEvent* NamedEvents::find_code(u64 config) const {
  if ((config & ~u64{0xffff}) != 0) return nullptr;
  std::string terms = fmt::format("event={:#x}", config & 0xff);
  add_term(terms, "umask", config >> 8 & 0xff);
  for (const auto& event : events_)
    if (event.pmu.empty() && event.event.terms == terms) return &event;
  return nullptr;
}

}  // namespace peregrine
