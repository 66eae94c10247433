#include "analysis/hist/key/trace_texts.h"

#include <utility>

#include "abi/attr.h"
#include "base/bytes.h"
#include "base/types.h"
#include "event/print/print_format.h"
#include "machine/resolver/resolver.h"
#include "pipeline/replay/kernel_names.h"
#include "pipeline/replay/recorded_formats.h"

namespace peregrine {

void TraceTexts::begin_batch() {
  if (formats_ || !has_formats(reader_)) return;
  auto formats = recorded_formats(reader_);
  formats_ = formats ? std::move(*formats) : TraceFormats();
}

u32 TraceTexts::find(const ReplaySample& sample, Resolver& resolver, Memo& memo) {
  memo.text.clear();
  const abi::EventAttr& attr = reader_.evlist()[sample.event].attr;
  const bool tracepoint = attr.type == static_cast<u32>(abi::EventType::Tracepoint);
  const PrintFormat* const print = tracepoint && formats_ ? formats_->print_format(attr.config) : nullptr;
  const Bytes record = sample.sample.raw;
  if (print == nullptr) {
    memo.text.room(8);
    memo.text.put("N/A");
  } else if (raw_) {
    print->print_fields(memo.text, record);
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
