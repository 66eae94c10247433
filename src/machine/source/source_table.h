// SourceTable: source lines and inlined functions of the frames of one machine, as displayed texts.
//
// Used together with the DsoTable. The debug information of a dso is opened once, on the first query for one of its
// frames, so recordings shown without lines never pay for it. Texts are interned, so equal texts have equal ids for
// all workers. Workers should cache results by FrameId. Thread safe.
#pragma once
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/build_id.h"
#include "base/container/id.h"
#include "base/container/string_pool.h"
#include "base/types.h"
#include "machine/dso/dso.h"
#include "machine/process/moment.h"
#include "machine/resolver/resolver.h"
#include "machine/source/source_cache.h"
#include "symbol/dwarf/source_lines.h"
#include "symbol/elf/elf_file.h"

namespace peregrine {

using SourceTextId = Id<struct SourceTextTag>;

// A function inlined at a frame.
struct InlinedFunction {
  SourceTextId name;  // demangled
  SourceTextId line;  // line of the frame, or of its call to the next inner function; invalid: unknown
};

class SourceTable {
 public:
  // `dsos` must outlive this. `full_paths`: show whole paths instead of their last part.
  SourceTable(const DsoTable& dsos, bool full_paths) : dsos_(dsos), full_paths_(full_paths) {}

  // How to interpret a frame's address.
  enum class Place {
    Exact,   // the executing instruction
    Return,  // the instruction after a call
  };

  // Returns "main.c:12", or an invalid id if the line is unknown.
  SourceTextId line(const Frame& frame, Place place = Place::Exact);
  // Same, with a substitute for an unknown line: "main+12", "prog[12f0]", "??:0".
  SourceTextId shown_line(Resolver& resolver, const Frame& frame) { return shown_line(resolver, frame, line(frame)); }
  // `offset_only`: "+12" instead of "main+12".
  SourceTextId shown_line(Resolver& resolver, const Frame& frame, SourceTextId known, bool offset_only = false);
  // Replaces `inlined` with the functions inlined at the frame, innermost first. Returns the line within the function
  // that has a symbol. Without `lines`, no lines are looked up.
  SourceTextId functions(const Frame& frame, Place place, std::vector<InlinedFunction>& inlined, bool lines = true);

  // Saves new results to the cache for the next run. A failure only costs time then.
  void keep_answers();

  // Interns any text.
  SourceTextId keep(std::string_view text);
  // Valid as long as the table.
  std::string_view text(SourceTextId id) const;

  // Returns nullptr if the dso has no line information.
  const SourceLines* lines(DsoId dso);
  // Returns the address in the dso's file, for lines(), or nothing if its code does not have the address.
  std::optional<u64> virtual_address(const Frame& frame);

 private:
  struct Entry {
    std::once_flag cache_once, once;
    std::unique_ptr<SourceLines> lines;
    std::optional<ElfFile> code;  // converts file offsets, with the program headers of the mapped file
    u64 bias = 0;                 // without `code`: offset from an address to that in `lines`
    BuildId build;                // key of the kept answers; empty: none are kept
    std::mutex mutex;             // protects the following members
    SourceCache cache;
  };
  Entry& entry_of(DsoId dso);
  Entry& opened(DsoId dso);
  void open(DsoId dso, Entry& entry) const;
  BuildId build_of(DsoId dso) const;
  // Looks up the frames at an address in the cache or the debug information. Returns false if the dso has none.
  bool ask(const Frame& frame, Place place, bool functions, std::vector<SourceCache::Frame>& frames);
  bool decode(const Frame& frame, Place place, bool functions, std::vector<SourceCache::Frame>& frames);
  SourceTextId line_text(const SourceCache::Frame& frame);
  SourceTextId name_text(std::string_view raw);
  std::string_view shown_path(std::string_view path) const;

  const DsoTable& dsos_;
  const bool full_paths_;
  mutable std::mutex mutex_;
  std::deque<Entry> entries_;  // indexed by DsoId
  StringPool texts_;
  std::unordered_map<std::string_view, SourceTextId> names_;  // key: raw name in an Entry's bytes
};

}  // namespace peregrine
