// CacheKeeper: adds files to the build-id cache, removes them, and lists which files are cached or missing.
//
// If one file fails, reports that in linux-perf's words and continues with the next file. With `verbose`, reports each
// action.
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

// Maps paths to the names, without symbolic links, that processes with a different root folder see.
using NamesInside = std::map<std::string, std::string>;

// Resolves them below `root`. Call before entering the readers' sandbox, which does not allow this.
NamesInside names_inside(const std::string& root, const std::vector<std::string>& files);

// All files of these comma-separated lists, without duplicates, sorted by name.
std::vector<std::string> files_of_lists(const std::vector<std::string>& lists);

// Our own cache of source lines and call frames, least recently used file first: size, build-id and kind of each file.
void list_kept_files(const KeptFiles& files, Sink& out);
// Empties it. Errors: from unlink(2), with the path.
Result<> remove_kept_files(const KeptFiles& files);

struct CacheKeeperRequest {
  std::string folder;      // of the cache
  std::string root = {};   // "/proc/PID/root" if the files belong to that process; empty: our own
  NamesInside names = {};  // of the files below `root`
  bool verbose = false;
  bool force = false;  // copy a kernel again even if it is cached
};

class CacheKeeper {
 public:
  // `servers`: where debug information that is not installed is downloaded; may be null. `listener` must outlive this.
  CacheKeeper(CacheKeeperRequest request, std::unique_ptr<DebugServer> servers, SessionListener& listener);

  void list(Sink& out) const;
  // The build-ids of a recording that are missing from the cache.
  void print_missing(const data::Reader& reader, Sink& out) const;
  // False: it exists but is neither a file nor a folder, e.g. a FIFO or a device, where linux-perf waits forever.
  bool add(const std::string& file) const { return keep(file, false); }
  // The same, but replaces the cached file.
  bool update(const std::string& file) const { return keep(file, true); }
  void remove(const std::string& file) const;
  // Removes every version that was cached under this path.
  void purge(const std::string& file) const;
  void purge_all() const;
  // The running kernel's code and symbols; `core`: a path of /proc/kcore, below any root.
  void add_kernel(const std::string& core) const;
  // Removes the least recently used entries until the rest is within this many bytes.
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
