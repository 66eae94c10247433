#include "session/trace/trace_event.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "abi/attr.h"
#include "analysis/field/traced_value.h"
#include "base/bytes.h"
#include "base/types.h"
#include "event/field/trace_format.h"
#include "event/field/trace_value.h"
#include "event/print/print_names.h"
#include "event/spec.h"
#include "event/syscall/call.h"
#include "output/text/format/script_text.h"
#include "output/text/trace/trace_event.h"

namespace peregrine {

namespace {

std::vector<PrintNames> names_of_enums(TraceFormat format, Enumerations& enumerations) {
  add_enumerators(enumerations, format);
  std::vector<PrintNames> enums;
  for (const TraceField& field : format.fields) {
    if (field.enumerators.empty()) continue;
    PrintNames names{.field = field.name, .delimiter = {}, .words = {}};
    const u64 mask = field.size < 8 ? (u64{1} << 8 * field.size) - 1 : ~u64{0};
    for (const Enumerator& each : field.enumerators)
      names.words.push_back({static_cast<u64>(each.value) & mask, each.name});
    enums.push_back(std::move(names));
  }
  return enums;
}

}  // namespace

TracedEvent::TracedEvent(std::string name, const abi::EventAttr& attr, const TracingData* tracing,
                         const TraceRequest& request, Enumerations* enumerations, const PrintNames* devices)
    : name_(std::move(name)), devices_(devices) {
  for (const EventSpec& spec : request.events)
    if (spec.name == name_ && spec.terms.max_events) left_ = *spec.terms.max_events;
  if (attr.type != static_cast<u32>(abi::EventType::Tracepoint) || tracing == nullptr) return;
  format_ = tracing->find(static_cast<u32>(attr.config));
  own_format_ = request.own_format;
  is_entry_ =
      format_ != nullptr && name_.starts_with("syscalls:sys_enter_") && format_->find("__syscall_nr") != nullptr;
  if (format_ != nullptr)
    print_.emplace(*format_,
                   TraceMachine{tracing->order, tracing->long_size, tracing->page_size, tracing->printk_formats});
  if (print_ && request.bit_lists) print_->list_bits();
  if (format_ != nullptr && enumerations != nullptr && !is_entry_) enums_ = names_of_enums(*format_, *enumerations);
}

bool TracedEvent::take() {
  if (left_ == 0) return false;
  --left_;
  return true;
}

// The number, followed by the arguments, each as wide as a register.
TracedCall TracedEvent::entered_call(const abi::Sample& sample, ByteOrder order) const {
  TracedCall call;
  call.pid = static_cast<i32>(sample.pid);
  call.tid = static_cast<i32>(sample.tid);
  std::size_t argument = 0;
  bool behind = false;
  for (const TraceField& field : format_->fields) {
    if (field.offset > sample.raw.size() || field.size > sample.raw.size() - field.offset) break;
    if (field.name == "__syscall_nr") {
      call.number = static_cast<u32>(load_number(sample.raw, field.offset, field.size, order));
      behind = true;
    } else if (behind && argument < call.arguments.size() && !field.is_array && !field.is_data_loc) {
      call.arguments[argument++] = load_number(sample.raw, field.offset, field.size, order);
    }
  }
  return call;
}

const PrintNames* TracedEvent::words(std::string_view field) const {
  const auto found = std::ranges::find(enums_, field, &PrintNames::field);
  if (found != enums_.end()) return &*found;
  const TraceField* const own = format_ != nullptr ? format_->find(field) : nullptr;
  if (own != nullptr && is_device(*own)) return devices_;
  return print_ ? print_->names_of(field) : nullptr;
}

void TracedEvent::put_arguments(ScriptText& text, TracePrinter& printer, const abi::Sample& sample,
                                ByteOrder order) const {
  if (print_ && own_format_)
    print_->print(text, sample.raw, nullptr);
  else if (is_entry_)
    printer.put_arguments(text, entered_call(sample, order));
  else if (format_ != nullptr)
    put_fields(text, printer, *format_, print_ ? &*print_ : nullptr, enums_, sample.raw, order);
}

void TracedEvent::put(ScriptText& text, TracePrinter& printer, const abi::Sample& sample, ByteOrder order) const {
  text.room(name_.size() + 16);
  text.put(name_);
  text.put('(');
  put_arguments(text, printer, sample, order);
  text.room(16);
  text.put(")\n");
}

}  // namespace peregrine
