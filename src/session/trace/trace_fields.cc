#include "session/trace/trace_fields.h"

#include <algorithm>
#include <cstddef>
#include <expected>
#include <utility>

#include "abi/arch/registers.h"
#include "abi/arch/syscall.h"
#include "analysis/field/traced_value.h"
#include "event/print/print_format.h"
#include "event/tracepoint/tracing_data.h"

namespace peregrine {

namespace {

struct KnownPart {
  std::string_view name;
  TracePart part;
  FieldForm kind;
  bool of_calls = false;
};
constexpr KnownPart kParts[] = {
    {"comm", TracePart::Comm, FieldForm::Text},          {"pid", TracePart::Pid, FieldForm::Number},
    {"tid", TracePart::Tid, FieldForm::Number},          {"cpu", TracePart::Cpu, FieldForm::Number},
    {"time", TracePart::Time, FieldForm::Time},          {"name", TracePart::Name, FieldForm::Text},
    {"args", TracePart::Args, FieldForm::Text},          {"duration", TracePart::Duration, FieldForm::Time, true},
    {"ret", TracePart::Result, FieldForm::Number, true}, {"error", TracePart::Error, FieldForm::Named, true}};

FieldForm kind_of_argument(ArgumentKind kind) {
  switch (kind) {
    case ArgumentKind::Int:
    case ArgumentKind::Unsigned:
    case ArgumentKind::Long:
    case ArgumentKind::Size:
    case ArgumentKind::Pointer:
    case ArgumentKind::Hex:
    case ArgumentKind::Octal:
      return FieldForm::Number;
    case ArgumentKind::Path:
    case ArgumentKind::Strings:
    case ArgumentKind::Buffer:
    case ArgumentKind::Vectors:
    case ArgumentKind::Message:
    case ArgumentKind::Struct:
    case ArgumentKind::SocketAddress:
      return FieldForm::Text;
    default:
      return FieldForm::Named;
  }
}

}  // namespace

TraceFieldList::TraceFieldList(const TraceRequest& request) {
  const bool calls = request.wants_calls();
  for (const KnownPart& part : kParts)
    if (calls || !part.of_calls) add(std::string(part.name), part.kind);
  if (calls) add_calls(request);
}

void TraceFieldList::add(const std::string& name, FieldForm kind) {
  const auto [found, fresh] = kinds_.try_emplace(name, kind);
  if (fresh)
    names_.push_back(name);
  else if (found->second != kind)
    found->second = FieldForm::Named;
}

void TraceFieldList::add_calls(const TraceRequest& request) {
  const Signatures signatures(abi::syscall_set(abi::kHostArch));
  const std::vector<bool> chosen = request.calls.chosen(signatures);
  for (u32 number = 0; number < chosen.size(); ++number) {
    if (!chosen[number]) continue;
    const SyscallSignature& call = signatures.of(number);
    for (unsigned i = 0; i < call.count; ++i) {
      const FieldForm kind = kind_of_argument(call.arguments[i].kind);
      add(std::string(call.arguments[i].name), kind);
      kinds_.try_emplace(std::string(call.name) + "." + std::string(call.arguments[i].name), kind);
    }
  }
}

void TraceFieldList::add(const TraceFormat& format) {
  const PrintFormat print(format, {});
  for (const TraceField& field : format.fields) {
    const FieldForm kind = field.enumerators.empty() ? kind_of(field, print.names_of(field.name)) : FieldForm::Named;
    add(field.name, kind);
    for (const std::string& event : {format.name, format.system + ":" + format.name})
      kinds_.try_emplace(event + "." + field.name, kind);
  }
}

Result<> TraceFieldList::add_events(TraceRequest& request) {
  if (std::ranges::none_of(request.events, &EventSpec::is_tracepoint)) return {};
  auto tracing = gather_tracing_data(request.sources, request.events);
  if (!tracing) return std::unexpected(std::move(tracing.error()));
  for (const EventSpec& event : request.events) {
    const TraceFormat* const format =
        event.is_tracepoint() ? tracing->find(static_cast<u32>(event.attr.config)) : nullptr;
    if (format == nullptr) continue;
    TraceFormat named = *format;
    if (request.sources.enumerations) add_enumerators(*request.sources.enumerations, named);
    add(named);
  }
  return {};
}

UsedFields::Source TraceFieldList::source() const {
  return {.kind =
              [kinds = kinds_](std::string_view name) {
                const auto found = kinds.find(name);
                return found == kinds.end() ? FieldForm::Unknown : found->second;
              },
          .all = [names = names_] { return names; }};
}

std::vector<TracePlace> trace_places(std::span<const std::string> fields) {
  std::vector<TracePlace> places;
  for (const std::string& name : fields) {
    const auto* const known = std::ranges::find(kParts, std::string_view(name), &KnownPart::name);
    TracePlace place;
    if (known != std::end(kParts)) place.part = known->part;
    const std::size_t dot = name.rfind('.');
    if (dot != name.npos) place.event = name.substr(0, dot);
    place.field = dot == name.npos ? name : name.substr(dot + 1);
    places.push_back(std::move(place));
  }
  return places;
}

}  // namespace peregrine
