// CacheKeeper: puts files into the build-id cache and removes them, and lists what it has and lacks.
//
// What fails with one file is reported, in linux-perf's words, and the next file is taken. With `verbose`, each action
// is reported.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/build_id.h"
#include "base/result.h"
#include "base/types.h"
#include "data/reader/reader.h"
#include "machine/dso/kept_files.h"
#include "output/sink.h"
#include "session/session_listener.h"
#include "symbol/lookup/build_id_cache.h"
#include "symbol/lookup/debug_server.h"
#include "sys/root.h"

namespace peregrine {

// What files are called, without symbolic links, by processes whose root is another folder.
using NamesInside = std::map<std::string, std::string>;

// Resolves them below `root`, which the sandbox of readers does not allow: before it is entered.
NamesInside names_inside(const std::string& root, const std::vector<std::string>& files);

// Every file of these lists, which are separated by commas: once, in order of their names.
std::vector<std::string> files_of_lists(const std::vector<std::string>& lists);

// Our own cache of source lines and call frames, the least recently used file first: bytes, build-id and kind of each.
void list_kept_files(const KeptFiles& files, Sink& out);
// Empties it. Errors: of unlink(2), with the path.
Result<> remove_kept_files(const KeptFiles& files);

struct CacheKeeperRequest {
  std::string folder;      // of the cache
  std::string root = {};   // "/proc/PID/root" if files are those of that process; empty: our own
  NamesInside names = {};  // of the files below `root`
  bool verbose = false;
  bool force = false;  // copy a kernel again that is already cached
};

class CacheKeeper {
 public:
  // `servers`: where debug information is fetched that is not installed; may be null. `listener` outlives it.
  CacheKeeper(CacheKeeperRequest request, std::unique_ptr<DebugServer> servers, SessionListener& listener);

  void list(Sink& out) const;
  // The build-ids of a recording that are not cached.
  void print_missing(const data::Reader& reader, Sink& out) const;
  // False: it exists and is neither a file nor a folder, but a FIFO or a device, for which linux-perf waits for ever.
  bool add(const std::string& file) const { return keep(file, false); }
  // The same, and replaces what is cached.
  bool update(const std::string& file) const { return keep(file, true); }
  void remove(const std::string& file) const;
  // Every version that was cached under this path.
  void purge(const std::string& file) const;
  void purge_all() const;
  // The running kernel's code and symbols; `core`: a path of /proc/kcore, below any root.
  void add_kernel(const std::string& core) const;
  // Removes the least recently used entries, until the rest has at most so many bytes.
  Result<> shrink(u64 quota) const;

 private:
  bool keep(const std::string& file, bool anew) const;
  void keep_file(const std::string& file, bool anew) const;
  std::string fetched_debug(const BuildId& id) const;
  Result<> copy_running_kernel(const std::string& core) const;
  std::string known_copy(const Root& root, const BuildId& id) const;
  std::string full_name(const std::string& file) const;
  void note(const std::string& line) const;
  void tell(std::string_view what, const BuildId& id, const std::string& file, bool done) const;
  void complain(std::string_view what, const std::string& file, const Error& error) const;

  CacheKeeperRequest request_;
  SessionListener& listener_;
  BuildIdCache cache_;
  std::unique_ptr<DebugServer> server_;
};

}  // namespace peregrine
