#include "session/trace/trace_values.h"

#include <fmt/format.h>
#include <string.h>

#include <algorithm>
#include <utility>

#include "analysis/field/traced_value.h"

namespace peregrine {

namespace {

// The text of a string without its quotes, which the user's form of the line may add.
std::string_view without_quotes(std::string_view text, std::string& kept) {
  const auto end = text.rfind('"');
  if (!text.starts_with('"') || end == 0) return text;
  const std::string_view rest = text.substr(end + 1);
  if (!rest.empty() && rest != "...") return text;
  kept.assign(text.substr(1, end - 1)).append(rest);
  return kept;
}

void put_text(ScriptText& out, std::string_view text) {
  out.room(text.size());
  out.put(text);
}

}  // namespace

std::optional<unsigned> CallValues::argument(const TracePlace& place) const {
  if (call_.continued || (!place.event.empty() && place.event != signature_.name)) return std::nullopt;
  for (unsigned i = 0; i < signature_.count; ++i)
    if (signature_.arguments[i].name == place.field) return i;
  return std::nullopt;
}

std::optional<i128> CallValues::number(std::size_t field) const {
  const TracePlace& place = lines_.places[field];
  const bool timed = !call_.unended && !call_.continued;
  switch (place.part) {
    case TracePart::Pid:
      return call_.pid;
    case TracePart::Tid:
      return call_.tid;
    case TracePart::Cpu:
      return call_.cpu < 0 ? std::nullopt : std::optional<i128>(call_.cpu);
    case TracePart::Time:
      return call_.start;
    case TracePart::Duration:
      return timed ? std::optional<i128>(call_.duration) : std::nullopt;
    case TracePart::Result:
      return call_.unended ? std::nullopt : std::optional<i128>(call_.result);
    case TracePart::Error:
      return call_.failed() ? std::optional<i128>(-call_.result) : std::nullopt;
    case TracePart::Own:
      break;
    default:
      return std::nullopt;
  }
  const auto index = argument(place);
  if (!index) return std::nullopt;
  const u64 value = call_.arguments[*index];
  switch (signature_.arguments[*index].kind) {
    case ArgumentKind::Int:
    case ArgumentKind::Fd:
    case ArgumentKind::DirFd:
    case ArgumentKind::Process:
    case ArgumentKind::Signal:
      return static_cast<i32>(value);
    case ArgumentKind::Unsigned:
    case ArgumentKind::Hex:
    case ArgumentKind::Octal:
      return static_cast<u32>(value);
    case ArgumentKind::Long:
    case ArgumentKind::FcntlArgument:
    case ArgumentKind::PrctlArgument:
    case ArgumentKind::Chosen:
      return static_cast<i64>(value);
    default:
      return value;
  }
}

bool CallValues::put(const TracePlace& place) const {
  ScriptText& out = lines_.scratch;
  switch (place.part) {
    case TracePart::Comm:
      put_text(out, lines_.names.comm(call_.tid));
      return true;
    case TracePart::Time:
      lines_.line.put_time(out, call_.start);
      return true;
    case TracePart::Duration:
      if (call_.unended || call_.continued) return false;
      TraceLine::put_span(out, call_.duration);
      return true;
    case TracePart::Name:
      put_text(out, signature_.name.empty() ? std::string_view("unknown") : signature_.name);
      return true;
    case TracePart::Args:
      if (!call_.continued) lines_.line.put_arguments(out, call_);
      return true;
    case TracePart::Result:
      put_result(out, lines_.names, call_, signature_);
      return true;
    case TracePart::Error: {
      const char* name = call_.failed() ? ::strerrorname_np(static_cast<int>(-call_.result)) : nullptr;
      if (name != nullptr) put_text(out, name);
      return name != nullptr;
    }
    default: {
      const auto index = argument(place);
      out.room(128);
      if (index) put_argument(out, lines_.names, call_, signature_, *index);
      return index.has_value();
    }
  }
}

bool CallValues::append(std::string& out, std::size_t field) const {
  const TracePlace& place = lines_.places[field];
  if (place.part == TracePart::Pid || place.part == TracePart::Tid || place.part == TracePart::Cpu) {
    const auto value = number(field);
    if (value) out += fmt::to_string(*value);
    return value.has_value();
  }
  lines_.scratch.clear();
  if (!put(place)) return false;
  std::string kept;
  const std::string_view text = lines_.scratch.view();
  out += place.part == TracePart::Own ? without_quotes(text, kept) : text;
  return true;
}

const TraceField* EventValues::own_field(const TracePlace& place) const {
  if (event_.format == nullptr) return nullptr;
  if (!place.event.empty() && !names_event(place.event, event_.name)) return nullptr;
  const auto found = std::ranges::find(event_.format->fields, place.field, &TraceField::name);
  return found == event_.format->fields.end() ? nullptr : &*found;
}

std::optional<i128> EventValues::number(std::size_t field) const {
  const TracePlace& place = lines_.places[field];
  switch (place.part) {
    case TracePart::Pid:
      return static_cast<i32>(event_.sample.pid);
    case TracePart::Tid:
      return static_cast<i32>(event_.sample.tid);
    case TracePart::Cpu:
      return event_.sample.cpu;
    case TracePart::Time:
      return event_.sample.time;
    case TracePart::Own:
      break;
    default:
      return std::nullopt;
  }
  const TraceField* const own = own_field(place);
  return own == nullptr ? std::nullopt : traced_number(*own, event_.sample.raw, event_.order);
}

bool EventValues::append(std::string& out, std::size_t field) const {
  const TracePlace& place = lines_.places[field];
  ScriptText& scratch = lines_.scratch;
  scratch.clear();
  switch (place.part) {
    case TracePart::Comm:
      out += lines_.names.comm(static_cast<i32>(event_.sample.tid));
      return true;
    case TracePart::Time:
      lines_.line.put_time(scratch, event_.sample.time);
      break;
    case TracePart::Name:
      out += event_.name;
      return true;
    case TracePart::Args:
      event_.arguments(scratch);
      break;
    case TracePart::Own: {
      const TraceField* const own = own_field(place);
      if (own != nullptr) append_traced(out, *own, event_.words(own->name), event_.sample.raw, event_.order);
      return own != nullptr;
    }
    default: {
      const auto value = number(field);
      if (value) out += fmt::to_string(*value);
      return value.has_value();
    }
  }
  out += scratch.view();
  return true;
}

}  // namespace peregrine
