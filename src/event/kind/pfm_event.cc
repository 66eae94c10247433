#include "event/kind/pfm_event.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <expected>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "abi/attr.h"
#include "base/nearest.h"
#include "base/number/parse_number.h"
#include "base/text/ascii.h"
#include "base/text/trim.h"
#include "base/types.h"
#include "event/kind/generic_event.h"
#include "event/syntax_error.h"
#include "event/vendor/named_event.h"
#include "event/vendor/processor_model.h"

namespace peregrine {

namespace {

namespace flag = abi::attr_flag;

struct PfmPart {
  std::string_view key;
  std::optional<std::string_view> value;
  std::size_t column = 0;
};

struct Words {
  std::string_view pmu, name;  // "skx" of "skx::INST_RETIRED", or ""
  std::vector<PfmPart> parts;
  std::size_t name_column = 0;
};

// libpfm4 accepts '.' in place of ':'.
Words split(std::string_view text, std::size_t column) {
  Words words;
  std::size_t at = 0;
  if (const auto scope = text.find("::"); scope != std::string_view::npos) {
    words.pmu = text.substr(0, scope);
    at = scope + 2;
  }
  words.name_column = column + at;
  for (bool first = true; at <= text.size(); first = false) {
    const auto end = std::min(text.find_first_of(":.", at), text.size());
    const auto piece = text.substr(at, end - at);
    const auto equals = piece.find('=');
    if (first)
      words.name = piece;
    else
      words.parts.push_back({piece.substr(0, equals), std::nullopt, column + at});
    if (!first && equals != std::string_view::npos) words.parts.back().value = piece.substr(equals + 1);
    at = end + 1;
  }
  return words;
}

struct Setting {
  std::string_view key;
  unsigned shift;  // bit position in config
  u64 maximum;
};
constexpr Setting kSettings[] = {{"c", 24, 255}, {"i", 23, 1},    {"t", 21, 1},
                                 {"e", 18, 1},   {"intx", 32, 1}, {"intxcp", 33, 1}};

class PfmEvent {
 public:
  PfmEvent(EventSources& sources, const Words& words, EventSpec& spec)
      : sources_(sources), words_(words), spec_(spec) {}

  Parsed<void> resolve() {
    if (auto done = find_masks(); !done) return done;
    for (const auto& part : words_.parts) {
      if (std::ranges::find(masks_, part.column) != masks_.end()) continue;
      if (auto done = apply(part); !done) return done;
    }
    if (modes_ != 0) {
      spec_.attr.set(flag::ExcludeUser, (modes_ & 1) == 0);
      spec_.attr.set(flag::ExcludeKernel, (modes_ & 2) == 0);
    }
    // Only AMD's counters distinguish the hypervisor.
    const bool amd = sources_.named().model().vendor == "AuthenticAMD";
    if (amd) spec_.attr.set(flag::ExcludeHv, (modes_ & 4) == 0);
    return {};
  }

  // Resolves a generic Linux event, which has neither unit masks nor counter settings.
  Parsed<void> resolve(const GenericEvent& generic) {
    for (const auto& part : words_.parts) {
      if (is_setting(part.key))
        return wrong(part.column, fmt::format("'{}' has no '{}'", words_.name, part.key),
                     "valid modifiers: u k h period= freq= precise= pinned excl");
      if (auto done = apply(part); !done) return done;
    }
    spec_.attr.type = static_cast<u32>(generic.type);
    spec_.attr.config = generic.config;
    if (modes_ == 0) return {};
    spec_.attr.set(flag::ExcludeUser, (modes_ & 1) == 0);
    spec_.attr.set(flag::ExcludeKernel, (modes_ & 2) == 0);
    spec_.attr.set(flag::ExcludeHv, (modes_ & 4) == 0);
    return {};
  }

 private:
  static bool is_setting(std::string_view key) {
    return key == "ldlat" || key == "fe_thres" ||
           std::ranges::any_of(kSettings, [&](const Setting& setting) { return setting.key == key; });
  }

  // Combines the rows of all unit masks with OR.
  Parsed<void> find_masks() {
    bool found = false, has_extra = false;
    for (const auto& part : words_.parts) {
      if (part.value) continue;
      const NamedEvent* row = find(fmt::format("{}:{}", words_.name, part.key));
      if (row == nullptr) continue;
      if (found && (has_extra || row->extra != 0))
        return wrong(part.column, "unit masks of this event cannot be combined here",
                     "specify the register value: cpu/event=…,umask=…,offcore_rsp=…/");
      add(*row);
      masks_.push_back(part.column);
      found = true;
      has_extra = row->extra != 0;
    }
    if (found) return {};
    if (const NamedEvent* row = find(words_.name)) {
      add(*row);
      return {};
    }
    return unknown();
  }

  const NamedEvent* find(std::string_view name) const {
    for (const NamedEvent* event : sources_.named().find(name))
      if (event->pmu.empty() && !event->other.empty()) return event;
    return nullptr;
  }

  void add(const NamedEvent& event) {
    spec_.attr.config |= event.config;
    spec_.attr.config1 |= event.extra;
  }

  std::unexpected<SyntaxError> unknown() const {
    std::string masks;
    std::vector<std::string_view> names;
    const std::string prefix = upper(words_.name) + ':';
    for (const auto& event : sources_.named().all()) {
      if (!event.pmu.empty()) continue;
      names.push_back(event.other);
      if (event.other.starts_with(prefix)) masks += ' ' + event.other.substr(prefix.size());
    }
    if (names.empty())
      return wrong(words_.name_column, "libpfm4 has no events for this processor",
                   "'list pfm' shows events of the processors it supports");
    if (!masks.empty()) return wrong(words_.name_column, "missing unit mask", "its masks are" + masks);
    const auto near = nearest(upper(words_.name), names);
    return wrong(words_.name_column, "unknown event", near ? fmt::format("did you mean '{}'?", *near) : "");
  }

  static std::string upper(std::string_view text) {
    std::string result(text);
    for (char& c : result)
      if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    return result;
  }

  Parsed<void> apply(const PfmPart& part) {
    constexpr std::string_view kModes = "ukh";
    if (part.key.size() == 1 && !part.value && kModes.find(part.key[0]) != std::string_view::npos) {
      modes_ |= 1u << kModes.find(part.key[0]);
      return {};
    }
    const auto value = part.value ? to_number(*part.value) : 1;
    if (!value) return wrong(part.column, "expected a number");
    for (const auto& [key, shift, maximum] : kSettings) {
      if (key != part.key) continue;
      if (*value > maximum) return wrong(part.column, fmt::format("value too big, maximum is {}", maximum));
      spec_.attr.config |= *value << shift;
      return {};
    }
    if (part.key == "ldlat" || part.key == "fe_thres")
      spec_.attr.config1 = part.key == "ldlat" ? *value : spec_.attr.config1 | *value << 8;
    else if (part.key == "period")
      spec_.terms.period = value;
    else if (part.key == "freq")
      spec_.terms.freq = value;
    else if (part.key == "precise" && *value <= 3)
      spec_.attr.set_precise_ip(static_cast<unsigned>(*value));
    else if (part.key == "pinned" || part.key == "excl")
      spec_.attr.set(part.key == "pinned" ? flag::Pinned : flag::Exclusive, *value != 0);
    else
      return wrong(part.column, fmt::format("unknown unit mask or modifier '{}'", part.key),
                   "valid modifiers: u k h e i t c= intx intxcp ldlat= fe_thres= period= freq= precise= pinned excl");
    return {};
  }

  EventSources& sources_;
  const Words& words_;
  EventSpec& spec_;
  std::vector<std::size_t> masks_;  // columns of the parts that are unit masks
  unsigned modes_ = 0;              // bit 0 user, 1 kernel, 2 hypervisor; 0: all
};

}  // namespace

namespace {

// Looks up an event of libpfm4's PMU `perf`, ignoring case: "cycles", "CPU-CYCLES", "PERF_COUNT_HW_CPU_CYCLES". nullptr
// if unknown.
const GenericEvent* find_pfm_generic_event(std::string_view name) {
  std::string text = lower_case(name);
  for (const std::string_view prefix : {"perf_count_hw_", "perf_count_sw_"}) {
    if (!text.starts_with(prefix)) continue;
    text.erase(0, prefix.size());
    std::ranges::replace(text, '_', '-');
  }
  const GenericEvent* generic = find_generic_event(text);
  return generic != nullptr && generic->tool == ToolEvent::None ? generic : nullptr;
}

bool is_named_event(EventSources& sources, std::string_view name) {
  return std::ranges::any_of(sources.named().find(name),
                             [](const NamedEvent* event) { return event->pmu.empty() && !event->other.empty(); });
}

}  // namespace

Parsed<EventSpec> parse_pfm_event(std::string_view text, std::size_t column, EventSources& sources) {
  EventSpec spec;
  spec.name = text;
  spec.attr.set(flag::ExcludeGuest, !sources.guest);
  const Words words = split(text, column);
  const GenericEvent* generic = find_pfm_generic_event(words.name);
  if (words.pmu == "perf" && generic == nullptr) return wrong(column, "unknown event");
  if (generic != nullptr && (words.pmu == "perf" || (words.pmu.empty() && !is_named_event(sources, words.name)))) {
    if (auto done = PfmEvent(sources, words, spec).resolve(*generic); !done)
      return std::unexpected(std::move(done.error()));
    return spec;
  }
  const auto tables = model_tables(sources.named().model());
  if (!words.pmu.empty() && words.pmu != tables.core)
    return wrong(column, fmt::format("this processor's PMU is called '{}'", tables.core));
  spec.attr.type = static_cast<u32>(abi::EventType::Raw);
  if (auto done = PfmEvent(sources, words, spec).resolve(); !done) return std::unexpected(std::move(done.error()));
  return spec;
}

Result<> parse_pfm_events(std::string_view words, EventSources& sources, EventList& list) {
  const std::size_t before = list.size();
  const auto refuse = [&](const SyntaxError& error) {
    list.resize(before);
    return std::unexpected(format_syntax_error(words, error));
  };
  std::optional<std::size_t> leader;
  for (std::size_t at = 0;;) {
    if (at < words.size() && words[at] == '{') {
      if (leader) return refuse({at, "groups cannot be nested"});
      leader = list.size();
      ++at;
    }
    const auto end = std::min(words.find_first_of(",{}", at), words.size());
    auto spec = parse_pfm_event(trim(words.substr(at, end - at)), at, sources);
    if (!spec) return refuse(spec.error());
    spec->leader = leader.value_or(list.size());
    list.push_back(std::move(*spec));
    if (leader) list[*leader].group_size = list.size() - *leader;
    at = end;
    if (at < words.size() && words[at] == '}') {
      if (!leader) return refuse({at, "unmatched '}'"});
      leader.reset();
      ++at;
    }
    if (at == words.size()) break;
    if (words[at] != ',') return refuse({at, "expected a comma"});
    ++at;
  }
  if (leader) return refuse({words.size(), "missing '}'"});
  return {};
}

}  // namespace peregrine
