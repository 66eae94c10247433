#include "analysis/hist/trace_texts.h"

#include "event/print_fields.h"
#include "pipeline/replay/kernel_names.h"

namespace peregrine {

u32 TraceTexts::find(const ReplaySample& sample, const abi::EventAttr& attr, Resolver& resolver, Memo& memo) {
  memo.text.clear();
  const bool tracepoint = attr.type == static_cast<u32>(abi::EventType::Tracepoint);
  const PrintFormat* const print = tracepoint ? formats_.print_format(attr.config) : nullptr;
  const Bytes record = sample.sample.raw;
  if (print == nullptr) {
    memo.text.room(8);
    memo.text.put("N/A");
  } else if (raw_) {
    for (const TraceField& field : formats_.format(attr.config)->fields)
      put_named_field(memo.text, field, record, formats_.order());
  } else {
    KernelNames kernel(resolver, sample.context);
    print->print(memo.text, record, &kernel);
  }
  const auto [at, fresh] = memo.known.try_emplace(std::string(memo.text.view()), 0);
  if (fresh) at->second = intern(at->first);
  return at->second;
}

u32 TraceTexts::intern(std::string_view text) {
  const std::scoped_lock lock(mutex_);
  if (const auto known = ids_.find(text); known != ids_.end()) return known->second;
  const auto id = static_cast<u32>(texts_.size());
  ids_.emplace(texts_.emplace_back(text), id);
  return id;
}

}  // namespace peregrine
