#include "event/vendor/event_file.h"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "base/number/parse_number.h"
#include "base/number/real_number.h"
#include "base/text/trim.h"
#include "base/types.h"
#include "sys/hardware/pmu.h"

namespace peregrine {

namespace {

using Json = nlohmann::json;

// The text of a member: strings unchanged, numbers in decimal.
std::string text_of(const Json& object, const char* key) {
  const auto at = object.find(key);
  if (at == object.end()) return {};
  if (at->is_string()) return at->get<std::string>();
  if (at->is_number_unsigned()) return fmt::format("{}", at->get<u64>());
  return {};
}

std::optional<double> json_number(const Json& object, const char* key) {
  const auto at = object.find(key);
  if (at == object.end()) return std::nullopt;
  if (at->is_number()) return at->get<double>();
  return parse_number<double>(text_of(object, key));
}

// In cycles; without a valid mean there is no latency.
std::optional<RetireLatency> usual_latency_of(const Json& object) {
  const auto mean = json_number(object, "RetirementLatencyMean");
  if (!mean || !std::isfinite(*mean) || *mean < 0) return std::nullopt;
  const auto min = json_number(object, "RetirementLatencyMin"), max = json_number(object, "RetirementLatencyMax");
  return RetireLatency{.mean = *mean, .min = min.value_or(*mean), .max = max.value_or(*mean)};
}

bool is_set(std::string_view text) { return !text.empty() && text != "0" && text != "0x0" && text != "0x00"; }

// Maps the number of an event's second register, as in Intel's lists, to the PMU format for its value.
std::string_view register_format(std::string_view index) {
  const auto first = trim(index.substr(0, index.find(',')));
  if (first == "0x1A6" || first == "0x1a6" || first == "0x1A7" || first == "0x1a7") return "offcore_rsp";
  if (first == "0x3F6" || first == "0x3f6") return "ldlat";
  if (first == "0x3F7" || first == "0x3f7") return "frontend";
  return {};
}

struct Member {
  const char* key;
  const char* term;
  bool always;  // even if the value is zero
};

constexpr Member kMembers[] = {
    {"EventCode", "event", true},          {"UMask", "umask", false},      {"UMaskExt", "umask_ext", false},
    {"CounterMask", "cmask", false},       {"Invert", "inv", false},       {"EdgeDetect", "edge", false},
    {"AnyThread", "any", false},           {"PortMask", "ch_mask", false}, {"FCMask", "fc_mask", false},
    {"SampleAfterValue", "period", false}, {"ConfigCode", "config", true},
};

// Converts unit names of Intel's lists to PMU names: "iMC" is "uncore_imc". Other units already are PMU names; "cpu" is
// the core.
std::string pmu_of(const std::string& unit) {
  static constexpr std::pair<std::string_view, std::string_view> kUnits[] = {
      {"CBO", "uncore_cbox"},    {"QPI LL", "uncore_qpi"}, {"SBO", "uncore_sbox"},       {"iMPH-U", "uncore_arb"},
      {"UPI LL", "uncore_upi"},  {"iMC", "uncore_imc"},    {"CHA", "uncore_cha"},        {"IIO", "uncore_iio"},
      {"IRP", "uncore_irp"},     {"M2M", "uncore_m2m"},    {"M3UPI", "uncore_m3upi"},    {"PCU", "uncore_pcu"},
      {"UBOX", "uncore_ubox"},   {"ARB", "uncore_arb"},    {"HA", "uncore_ha"},          {"R2PCIe", "uncore_r2pcie"},
      {"R3QPI", "uncore_r3qpi"}, {"DFPMC", "amd_df"},      {"L3PMC", "amd_l3"},          {"UMCPMC", "amd_umc"},
      {"CPU-M-CF", "cpum_cf"},   {"CPU-M-SF", "cpum_sf"},  {"PAI-CRYPTO", "pai_crypto"},
  };
  for (const auto& [name, pmu] : kUnits)
    if (name == unit) return std::string(pmu);
  return unit == "cpu" ? std::string() : unit;
}

void add_scale(std::string_view text, NamedEvent& event) {
  const auto scale = take_finite(text);
  if (!scale) return;
  event.event.scale = *scale;
  event.event.has_scale = true;
  event.event.unit = trim(text);
}

// Returns nullopt and sets `problem` if a member is invalid.
std::optional<NamedEvent> read_event(const Json& object, std::string& problem) {
  NamedEvent event;
  std::string& terms = event.event.terms;
  for (const auto& [key, term, always] : kMembers) {
    const auto value = text_of(object, key);
    const auto first = trim(std::string_view(value).substr(0, value.find(',')));  // "0xB7, 0xBB": either works
    if (first.empty() || (!always && !is_set(first))) continue;
    if (!to_number(first)) {
      problem = fmt::format("{} is not a number: '{}'", key, value);
      return std::nullopt;
    }
    terms += fmt::format("{}{}={}", terms.empty() ? "" : ",", term, first);
  }
  if (terms.empty()) {
    problem = "missing EventCode or ConfigCode";
    return std::nullopt;
  }
  if (const auto value = text_of(object, "MSRValue"); is_set(value)) {
    const auto format = register_format(text_of(object, "MSRIndex"));
    if (!format.empty() && to_number(value)) terms += fmt::format(",{}={}", format, value);
  }
  if (const auto filter = text_of(object, "Filter"); !filter.empty()) terms += ',' + filter;
  event.event.name = text_of(object, "EventName");
  event.pmu = pmu_of(text_of(object, "Unit"));
  event.description = text_of(object, "BriefDescription");
  event.long_description = text_of(object, "PublicDescription");
  event.topic = text_of(object, "Topic");
  event.deprecated = is_set(text_of(object, "Deprecated"));
  event.event.per_package = is_set(text_of(object, "PerPkg"));
  event.event.usual_latency = usual_latency_of(object);
  add_scale(text_of(object, "ScaleUnit"), event);
  return event;
}

}  // namespace

Result<EventFile> parse_event_file(std::string_view text, std::string_view file) {
  const Json document = Json::parse(text, nullptr, false);
  if (document.is_discarded()) return fail(ErrorKind::Malformed, "{}: not JSON", file);
  if (!document.is_array()) return fail(ErrorKind::Malformed, "{}: not an array of objects", file);
  EventFile result;
  for (std::size_t i = 0; i < document.size(); ++i) {
    const Json& object = document[i];
    if (!object.is_object()) return fail(ErrorKind::Malformed, "{}: entry {} is not an object", file, i + 1);
    const auto name = text_of(object, "EventName");
    if (name.empty()) continue;
    std::string problem;
    if (auto event = read_event(object, problem))
      result.events.push_back(std::move(*event));
    else
      result.problems.push_back(fmt::format("{}: event {} '{}': {}", file, i + 1, name, problem));
  }
  return result;
}

}  // namespace peregrine
