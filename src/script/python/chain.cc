#include "script/python/chain.h"

#include <algorithm>
#include <cstddef>
#include <span>

#include "base/types.h"

namespace peregrine::script {
namespace {

constexpr std::size_t kMostKnown = std::size_t{1} << 19;  // about 300 MB

// Returns nothing if this Python version does not count the versions of dicts.
template <class Dict = PyDictObject>
std::optional<u64> version_of(PyObject* dict) {
  if constexpr (requires(const Dict& known) { known.ma_version_tag; })
    return reinterpret_cast<Dict*>(dict)->ma_version_tag;
  return std::nullopt;
}

}  // namespace

Ref ChainObjects::list() {
  const std::span<const ChainFrame> frames = answers_.chain();
  Ref list(PyList_New(static_cast<Py_ssize_t>(frames.size())));
  if (!list) return nullptr;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    Ref made = frame(frames[i]);
    if (!made) return nullptr;
    PyList_SET_ITEM(list.get(), static_cast<Py_ssize_t>(i), made.release());
  }
  return list;
}

Ref ChainObjects::frame(const ChainFrame& frame) {
  Known& known = find(frame);
  if (!is_unchanged(known)) return make_frame(known);
  PyObject* const symbol = known.values[Sym].get();
  // Nobody else holds a reference: the frame has one (ours), and its symbol two (the frame's and the one in `values`).
  if (Py_REFCNT(known.given.get()) == 1 && (symbol == nullptr || Py_REFCNT(symbol) == 2))
    return share(known.given.get());
  known.given.reset(PyDict_Copy(known.given.get()));
  if (!known.given) return nullptr;
  if (symbol != nullptr) {
    known.values[Sym].reset(PyDict_Copy(symbol));
    if (!known.values[Sym] || PyDict_SetItem(known.given.get(), keys_[Sym].get(), known.values[Sym].get()) != 0)
      return nullptr;
  }
  note_versions(known);
  return share(known.given.get());
}

// The objects hold the frame's values at that ip, because the same code may be mapped at several addresses in several
// processes.
ChainObjects::Known& ChainObjects::find(const ChainFrame& frame) {
  const std::size_t place = frame.frame.value;
  if (count_ >= kMostKnown) {
    known_.clear();
    count_ = 0;
  }
  if (place >= known_.size()) known_.resize(std::max(place + 1, known_.size() * 2));
  Known& known = known_[place];
  if (known.values[Ip] && known.ip == frame.ip) return known;
  known.given.reset();
  known.ip = frame.ip;
  const bool is_new = !known.values[Ip];
  known.values[Ip] = number_object(frame.ip);
  if (!is_new) return known;
  ++count_;
  const PlaceAnswer answer = answers_.frame(frame.frame);
  if (answer.symbol) {
    known.values[Start] = number_object(answer.symbol->start);
    known.values[End] = number_object(answer.symbol->end);
    known.values[Binding] = number_object(answer.symbol->binding);
    known.values[Name] = text_object(answer.symbol->name);
    known.values[Offset] = number_object(answer.address - answer.symbol->start);
  }
  if (!answer.dso.empty()) known.values[Dso] = text_object(answer.dso);
  return known;
}

bool ChainObjects::is_unchanged(const Known& known) {
  if (!known.given || !known.version || version_of(known.given.get()) != known.version) return false;
  return !known.values[Sym] || version_of(known.values[Sym].get()) == known.symbol_version;
}

void ChainObjects::note_versions(Known& known) {
  known.version = version_of(known.given.get());
  if (known.values[Sym]) known.symbol_version = version_of(known.values[Sym].get());
}

Ref ChainObjects::make(const Known& known, Key first, Key end) const {
  Ref dict(PyDict_New());
  for (std::size_t i = first; dict && i < end; ++i) {
    if (known.values[i] && PyDict_SetItem(dict.get(), keys_[i].get(), known.values[i].get()) != 0) return nullptr;
  }
  return dict;
}

Ref ChainObjects::make_frame(Known& known) const {
  if (known.values[Name]) {
    known.values[Sym] = make(known, Start, Ip);
    if (!known.values[Sym]) return nullptr;
  }
  known.given = make(known, Ip, Count);
  if (!known.given) return nullptr;
  note_versions(known);
  return share(known.given.get());
}

}  // namespace peregrine::script
