#include "cmd/trace_event.h"

#include "output/text/trace_event.h"

namespace peregrine::cmd {

TracedEvent::TracedEvent(std::string name, const abi::EventAttr& attr, const TracingData* tracing,
                         const TraceRequest& request)
    : name_(std::move(name)) {
  for (const EventSpec& spec : request.events)
    if (spec.name == name_ && spec.terms.max_events) left_ = *spec.terms.max_events;
  if (attr.type != static_cast<u32>(abi::EventType::Tracepoint) || tracing == nullptr) return;
  format_ = tracing->find(static_cast<u32>(attr.config));
  if (format_ != nullptr && request.own_format)
    print_.emplace(*format_,
                   TraceMachine{tracing->order, tracing->long_size, tracing->page_size, tracing->printk_formats});
}

bool TracedEvent::take() {
  if (left_ == 0) return false;
  --left_;
  return true;
}

void TracedEvent::put(ScriptText& text, TraceNames& names, Bytes raw, ByteOrder order) const {
  text.room(name_.size() + 16);
  text.put(name_);
  text.put('(');
  if (print_)
    print_->print(text, raw, nullptr);
  else if (format_ != nullptr)
    put_fields(text, names, *format_, raw, order);
  text.room(16);
  text.put(")\n");
}

}  // namespace peregrine::cmd
