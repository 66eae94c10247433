// OpenedRecording: a recording opened for reading, with everything that belongs to it: the archive around it or
// next to it, its copies of the kernel's symbols, and the thread that decodes its hardware traces.
//
// It must outlive the machine that gets symbols from it. Main thread only.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/fd.h"
#include "base/result.h"
#include "data/reader/reader.h"
#include "pipeline/bundle/bundle.h"
#include "pipeline/decode/decoded_stream.h"
#include "session/session_listener.h"
#include "symbol/lookup/debug_server.h"

namespace peregrine {

struct OpenRequest {
  std::string path;              // "-": standard input
  bool force = false;            // accept a file of any user; otherwise it must belong to the caller or root
  std::string temporary_folder;  // archives are unpacked into a private folder below this
};

struct OpenedRecording : data::Reader {
  explicit OpenedRecording(data::Reader reader) : data::Reader(std::move(reader)) {}
  std::optional<Bundle> bundle = {};
  std::unique_ptr<DebugServer> server = {};     // used by the SymbolPlaces of this recording
  std::unique_ptr<DecodedStream> decoded = {};  // null unless hardware traces are decoded
  Fd kallsyms = Fd(), kcore = Fd();             // copies made by record --kcore; borrowed by SymbolPlaces
};

// Opens a recording, compressed or not, or an archive that contains one. Damage to a trace.dat file is reported. Errors
// have linux-perf's text: NotFound, Denied (errno 0: the owner is not trusted), Malformed.
Result<OpenedRecording> open_recording(const OpenRequest& request, SessionListener& listener);

// Opens an archive, checked in the same way, and unpacks it.
Result<Bundle> open_archive(const OpenRequest& request);

}  // namespace peregrine
