#include "script/event_plan.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

#include "abi/attr.h"
#include "base/bytes.h"
#include "base/types.h"
#include "event/print/print_names.h"

namespace peregrine::script {
namespace {

bool is_integer_size(u32 size) { return size == 1 || size == 2 || size == 4 || size == 8; }

FieldKind kind_of(const TraceField& field, u32 element) {
  const bool array = field.is_array || field.is_data_loc || field.is_rel_loc;
  if (!array && is_integer_size(field.size)) return field.is_signed ? FieldKind::Signed : FieldKind::Unsigned;
  if (field.is_string && element == 1 && !field.is_pointer && field.type.find("unsigned") == std::string::npos)
    return FieldKind::Text;
  return element > 1 && is_integer_size(element) ? FieldKind::List : FieldKind::Bytes;
}

FieldPlan plan_field(const TraceField& field) {
  FieldPlan plan{.name = field.name, .is_signed = field.is_signed, .offset = field.offset, .size = field.size};
  plan.mask_offset = field.mask_offset;
  plan.mask_bit = field.mask_bit;
  plan.place = field.is_data_loc ? FieldPlace::Located : field.is_rel_loc ? FieldPlace::Relative : FieldPlace::Fixed;
  plan.element = field.element_size();
  plan.kind = kind_of(field, plan.element);
  return plan;
}

std::optional<FieldPlan> plan_shared(const TraceFormat& format, std::string_view name) {
  for (const TraceField& field : format.common)
    if (field.name == name) return plan_field(field);
  return std::nullopt;
}

}  // namespace

const FieldNames* EventPlan::names_of(const std::string& field) const {
  const auto found = std::ranges::find(names, field, &FieldNames::field);
  return found == names.end() ? nullptr : &*found;
}

EventPlan plan_event(const data::Event& event, std::string_view name, const TraceFormat* format,
                     const PrintFormat* print) {
  EventPlan plan{.name = std::string(name), .attr = event.attr};
  ByteWriter attr;
  abi::encode_attr(event.attr, attr);
  plan.attr_bytes = attr.take();
  plan.attr_bytes.resize(std::max<std::size_t>(plan.attr_bytes.size(), abi::kAttrSizeWritten));
  if (format == nullptr) return plan;
  plan.handler = format->system + "__" + format->name;
  plan.id = format->id;
  for (const TraceField& field : format->fields) plan.fields.push_back(plan_field(field));
  plan.shared = {.pid = plan_shared(*format, "common_pid"),
                 .flags = plan_shared(*format, "common_flags"),
                 .preempt_count = plan_shared(*format, "common_preempt_count"),
                 .lock_depth = plan_shared(*format, "common_lock_depth")};
  if (print == nullptr) return plan;
  for (const PrintNames& table : print->names()) {
    FieldNames names{.field = table.field, .delimiter = table.delimiter, .flags = table.flags, .names = {}};
    for (const PrintNames::Word& word : table.words) names.names.emplace_back(word.value.value_or(0), word.text);
    plan.names.push_back(std::move(names));
  }
  return plan;
}

}  // namespace peregrine::script
