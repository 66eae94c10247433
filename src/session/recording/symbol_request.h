// SymbolRequest: where to find the symbols of a recording, and how to show them. symbol_places() turns it into
// the SymbolPlaces of a Machine, and reports files that an archive lacks.
#pragma once
#include <optional>
#include <string>

#include "machine/dso/dso.h"
#include "machine/dso/kept_files.h"
#include "session/recording/debug_servers.h"
#include "session/recording/opened_recording.h"
#include "session/session_listener.h"

namespace peregrine {

// The user's folders, by configuration.
struct UserFolders {
  std::string build_ids;  // the build-id cache; empty: none
  std::string own_cache;  // parsed symbol lists of kernels; empty: none
  KeptFiles kept = {};    // source lines and unwind tables of earlier runs
};

// The folder with another machine's binaries: each at its path below it, or all directly in it (`flat`).
struct Sysroot {
  std::string folder;
  bool flat = false;
};

struct SymbolRequest {
  UserFolders folders;
  std::string temporary_folder;  // for archives
  Sysroot sysroot = {};
  std::string vmlinux = {};
  std::string kallsyms = {};
  GuestPlaces guests = {};
  std::optional<DebugServerRequest> servers = {};
  bool force = false;  // use files of any user
  bool demangle = true;
  bool demangle_kernel = false;
  bool parameters = false;          // show C++ names with their parameters
  bool stripped_functions = false;  // see DebugSearch
};

// The recording's own copy of the kernel's symbols is used if the request names none. Opens the archive next to the
// recording if this machine lacks any of its files; warns about files missing from the archive. `recording` then owns
// the archive and the servers that the places refer to.
SymbolPlaces symbol_places(const SymbolRequest& request, OpenedRecording& recording, SessionListener& listener);

// For processes that are running now.
SymbolPlaces live_symbol_places(const UserFolders& folders);

}  // namespace peregrine
