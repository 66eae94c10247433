#include "machine/source_table.h"

#include <fmt/format.h>

#include "symbol/demangle.h"

namespace peregrine {

SourceTable::Entry& SourceTable::opened(DsoId dso) {
  Entry* entry = nullptr;
  {
    const std::scoped_lock lock(mutex_);
    while (entries_.size() <= dso.value) entries_.emplace_back();
    entry = &entries_[dso.value];
  }
  std::call_once(entry->once, [&] { open(dso, *entry); });
  return *entry;
}

void SourceTable::open(DsoId id, Entry& entry) const {
  const Dso& dso = dsos_.at(id);
  if (dso.kind != DsoKind::File && dso.kind != DsoKind::Kernel && dso.kind != DsoKind::Vdso) return;
  auto debug = dsos_.open_debug(id);
  if (!debug) return;
  const DebugSearch& where = dsos_.places().search;
  SourceSearch search{.dso_path = where.symfs + dso.path, .symfs = where.symfs, .debug_folder = where.debug_folder};
  auto lines = SourceLines::open(std::move(*debug), search);
  if (!lines) return;
  if (dso.kind != DsoKind::Kernel) {
    auto code = dsos_.open_code(id);
    if (!code) return;
    entry.code = std::move(*code);
  }
  entry.lines = std::move(*lines);
}

const SourceLines* SourceTable::lines(DsoId dso) { return opened(dso).lines.get(); }

std::optional<u64> SourceTable::virtual_address(const Frame& frame) {
  const Entry& entry = opened(frame.dso);
  if (entry.code) return entry.code->virtual_address(frame.address);
  return frame.address + dsos_.bias(frame.dso);
}

std::string_view SourceTable::shown_path(std::string_view path) const {
  return full_paths_ ? path : path.substr(path.rfind('/') + 1);
}

SourceTextId SourceTable::keep(std::string_view text) {
  const std::scoped_lock lock(mutex_);
  return SourceTextId(texts_.intern(text).value);
}

std::string_view SourceTable::text(SourceTextId id) const {
  if (!id) return {};
  const std::scoped_lock lock(mutex_);
  return texts_.view(StringId(id.value));
}

SourceTextId SourceTable::line_text(const SourceLines& lines, const SourceLine& at) {
  if (!at) return {};
  const std::string_view path = shown_path(lines.file_path(at.file));
  return keep(fmt::format("{}:{}", path, at.line));
}

SourceTextId SourceTable::name_text(std::string_view raw) {
  {
    const std::scoped_lock lock(mutex_);
    const auto known = names_.find(raw);
    if (known != names_.end()) return known->second;
  }
  const SymbolPlaces& places = dsos_.places();
  const bool mangled = places.demangle && may_be_mangled(raw);
  const SourceTextId name = keep(mangled ? demangle(raw, places.demangle_detail) : std::string(raw));
  const std::scoped_lock lock(mutex_);
  return names_.try_emplace(raw, name).first->second;
}

SourceTextId SourceTable::line(const Frame& frame, Place place) {
  if (!frame.dso) return {};
  const SourceLines* known = lines(frame.dso);
  const auto address = known == nullptr ? std::nullopt : virtual_address(frame);
  if (!address) return {};
  return line_text(*known, known->find(*address - (place == Place::Return ? 1 : 0)));
}

SourceTextId SourceTable::functions(const Frame& frame, Place place, std::vector<InlinedFunction>& inlined) {
  inlined.clear();
  if (!frame.dso) return {};
  const SourceLines* known = lines(frame.dso);
  const auto address = known == nullptr ? std::nullopt : virtual_address(frame);
  if (!address) return {};
  const u64 asked = *address - (place == Place::Return ? 1 : 0);
  std::vector<SourceFrame> frames;
  known->frames(asked, frames);
  if (frames.empty()) return line_text(*known, known->find(asked));
  for (std::size_t i = 0; i + 1 < frames.size(); ++i) {
    const SourceTextId name = frames[i].function.empty() ? keep("[unknown]") : name_text(frames[i].function);
    inlined.push_back({name, line_text(*known, frames[i].at)});
  }
  return line_text(*known, frames.back().at);
}

}  // namespace peregrine
