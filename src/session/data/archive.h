// Archives for another machine: packs a recording's binaries and kernel symbols, alone or with the recording, and
// unpacks them. See pipeline/bundle/bundle.h for the layout.
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
  Everything  // the recording, and files from the cache and this system, which readers use in place
};

struct ArchiveRequest {
  ArchiveForm form = ArchiveForm::Symbols;
  std::string input;                   // path of the recording
  std::string output = {};             // only for Everything; "-": standard output
  std::string build_ids;               // folder of the build-id cache
  bool verbose = false;                // report the name of each file
  ReaderConfinement confinement = {};  // to report files that the sandbox hides
  std::string program_name = {};       // the name of this program, for hints
};

// Packs the recording opened by `reader`, which is read to its end. Reports binaries that are not found. Returns false,
// and writes nothing, if there are no files for an archive of the first two forms. Errors: reading; the output exists
// and is not an archive; writing.
Result<bool> pack_recording(const ArchiveRequest& request, data::Reader& reader, Sink& out, SessionListener& listener);

struct InstallRequest {
  std::string recording;  // path for the recording, if the archive has one
  std::string build_ids;  // folder of the build-id cache, which receives the files
  bool replace = false;   // replace an existing recording
};
// Errors: as put_recording() and add_to_cache().
Result<> install_archive(const InstallRequest& request, const Bundle& bundle, SessionListener& listener);

// The name of the newest archive of the form Recording in a folder, or an empty text.
std::string newest_archive(const std::string& folder);

}  // namespace peregrine
