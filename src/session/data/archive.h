// Archives for another machine: a recording's binaries and kernel symbols, alone or together with the recording, and
// the way back. See pipeline/bundle/bundle.h for the layout.
#pragma once
#include <string>

#include "base/result.h"
#include "base/types.h"
#include "data/reader/reader.h"
#include "output/sink.h"
#include "pipeline/bundle/bundle.h"
#include "session/sandbox/denied_files.h"
#include "session/session_listener.h"

namespace peregrine {

enum class ArchiveForm : u8 {
  Symbols,    // RECORDING.tar.bz2: the files that the build-id cache has, laid out like the cache
  Recording,  // perf.all-HOST-TIME.tar.bz2: the recording, and the archive above inside
  Everything  // the recording, and files of the cache and of this system, which readers use in place
};

struct ArchiveRequest {
  ArchiveForm form = ArchiveForm::Symbols;
  std::string input;                   // path of the recording
  std::string output = {};             // only for Everything; "-": standard output
  std::string build_ids;               // folder of the build-id cache
  bool verbose = false;                // name each file
  ReaderConfinement confinement = {};  // for files that the sandbox hides
  std::string program_name = {};       // this program's, in hints
};

// Packs the recording that `reader` has opened, which is read to its end. Binaries that are not found are named.
// Returns false, and writes nothing, if there are no files for an archive of the first two forms. Errors: reading; an
// output that is not an archive; writing.
Result<bool> pack_recording(const ArchiveRequest& request, data::Reader& reader, Sink& out, SessionListener& listener);

struct InstallRequest {
  std::string recording;  // path that the recording gets, if the archive has one
  std::string build_ids;  // folder of the build-id cache, which gets the files
  bool replace = false;   // an existing recording
};
// Errors: as put_recording() and add_to_cache().
Result<> install_archive(const InstallRequest& request, const Bundle& bundle, SessionListener& listener);

// The name of the newest archive of the form Recording in a folder, or an empty text.
std::string newest_archive(const std::string& folder);

}  // namespace peregrine
