// SourceTable: source lines and inlined functions of the frames of one machine, as texts that are shown.
//
// Stands beside the DsoTable. A dso's debug information is looked for at the first question about one of its frames,
// once, and only by those who ask: recordings shown without lines never pay for it. Texts are interned, so that equal
// texts are equal ids for all workers; what a worker makes of a frame it should keep by its FrameId. Thread safe.
#pragma once
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/container/string_pool.h"
#include "machine/resolver/resolver.h"
#include "machine/source/source_cache.h"
#include "symbol/dwarf/source_lines.h"

namespace peregrine {

using SourceTextId = Id<struct SourceTextTag>;

// One function inlined at a frame.
struct InlinedFunction {
  SourceTextId name;  // demangled
  SourceTextId line;  // where in it the frame is, or calls the next inner one; invalid: unknown
};

class SourceTable {
 public:
  // Outlived by `dsos`. `full_paths`: whole paths of files instead of their last part.
  SourceTable(const DsoTable& dsos, bool full_paths) : dsos_(dsos), full_paths_(full_paths) {}

  // A frame's address, as its line and functions are asked for.
  enum class Place {
    Exact,   // the instruction that runs
    Return,  // the one behind a call
  };

  // "main.c:12"; invalid: unknown.
  SourceTextId line(const Frame& frame, Place place = Place::Exact);
  // The same, or what stands for an unknown line: "main+12", "prog[12f0]", "??:0".
  SourceTextId shown_line(Resolver& resolver, const Frame& frame) { return shown_line(resolver, frame, line(frame)); }
  // `offset_only`: "+12" instead of "main+12".
  SourceTextId shown_line(Resolver& resolver, const Frame& frame, SourceTextId known, bool offset_only = false);
  // Replaces `inlined` by the functions inlined at the frame, innermost first; the result is the line within the
  // function that has its own symbol. Without `lines`, there are none.
  SourceTextId functions(const Frame& frame, Place place, std::vector<InlinedFunction>& inlined, bool lines = true);

  // Writes what was learnt to the cache, for the next run. Failing costs only time then.
  void keep_answers();

  // Any text, interned with the others.
  SourceTextId keep(std::string_view text);
  // Valid as long as the table.
  std::string_view text(SourceTextId id) const;

  // nullptr: nothing is known of that dso's lines.
  const SourceLines* lines(DsoId dso);
  // In the dso's file, for lines(); nothing for an address that its code does not have.
  std::optional<u64> virtual_address(const Frame& frame);

 private:
  struct Entry {
    std::once_flag cache_once, once;
    std::unique_ptr<SourceLines> lines;
    std::optional<ElfFile> code;  // places file offsets; its program headers are those of the mapped file
    u64 bias = 0;                 // where there is no `code`: what to add to an address to get that of `lines`
    BuildId build;                // that the kept answers are of; empty: none are kept
    std::mutex mutex;             // of what follows
    SourceCache cache;
  };
  Entry& entry_of(DsoId dso);
  Entry& opened(DsoId dso);
  void open(DsoId dso, Entry& entry) const;
  BuildId build_of(DsoId dso) const;
  // The frames at an address, from the cache or from the debug information; false: that dso has none.
  bool ask(const Frame& frame, Place place, bool functions, std::vector<SourceCache::Frame>& frames);
  bool decode(const Frame& frame, Place place, bool functions, std::vector<SourceCache::Frame>& frames);
  SourceTextId line_text(const SourceCache::Frame& frame);
  SourceTextId name_text(std::string_view raw);
  std::string_view shown_path(std::string_view path) const;

  const DsoTable& dsos_;
  const bool full_paths_;
  mutable std::mutex mutex_;
  std::deque<Entry> entries_;  // by DsoId
  StringPool texts_;
  std::unordered_map<std::string_view, SourceTextId> names_;  // by raw name, whose bytes an Entry owns
};

}  // namespace peregrine
