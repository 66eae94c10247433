#include "script/python/chain.h"

namespace peregrine::script {
namespace {

constexpr std::size_t kMostTemplates = std::size_t{1} << 19;  // some 300 MB

}  // namespace

Ref ChainObjects::list() {
  const std::span<const ChainFrame> frames = answers_.chain();
  Ref list(PyList_New(static_cast<Py_ssize_t>(frames.size())));
  if (!list) return nullptr;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const Template& found = find(frames[i]);
    Ref frame(found.frame ? PyDict_Copy(found.frame.get()) : nullptr);
    if (!frame) return nullptr;
    if (found.symbol) put(frame.get(), sym_.get(), Ref(PyDict_Copy(found.symbol.get())));
    PyList_SET_ITEM(list.get(), static_cast<Py_ssize_t>(i), frame.release());
  }
  return list;
}

const ChainObjects::Template& ChainObjects::find(const ChainFrame& frame) {
  const u64 key = (frame.ip * 0x9e3779b97f4a7c15u) ^ frame.frame.value;
  const auto found = templates_.find(key);
  if (found != templates_.end()) return found->second;
  if (templates_.size() >= kMostTemplates) templates_.clear();
  return templates_.emplace(key, make(frame)).first->second;
}

ChainObjects::Template ChainObjects::make(const ChainFrame& frame) {
  Template made;
  made.frame.reset(PyDict_New());
  if (!made.frame) return made;
  put(made.frame.get(), ip_.get(), number_object(frame.ip));
  const PlaceAnswer place = answers_.frame(frame.frame);
  if (place.symbol) {
    made.symbol.reset(PyDict_New());
    put(made.symbol.get(), "start", number_object(place.symbol->start));
    put(made.symbol.get(), "end", number_object(place.symbol->end));
    put(made.symbol.get(), "binding", number_object(place.symbol->binding));
    put(made.symbol.get(), "name", text_object(place.symbol->name));
    put(made.frame.get(), sym_.get(), share(made.symbol.get()));
    put(made.frame.get(), "sym_off", number_object(place.address - place.symbol->start));
  }
  if (!place.dso.empty()) put(made.frame.get(), "dso", text_object(place.dso));
  return made;
}

}  // namespace peregrine::script
