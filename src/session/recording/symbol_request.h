// SymbolRequest: where the symbols of a recording may come from, and how they are shown. symbol_places() turns it into
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

// Folders of this user, by configuration.
struct UserFolders {
  std::string build_ids;  // the build-id cache; empty: none
  std::string own_cache;  // parsed symbol lists of kernels; empty: none
  KeptFiles kept = {};    // source lines and unwind tables of earlier runs
};

// The folder with another machine's binaries: each at its path there, or all in the folder itself (`flat`).
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

// The recording's own copy of the kernel's symbols is used if the request names none. An archive beside the recording
// is opened if this machine lacks any of its files; warnings say what the archive lacks. `recording` then owns the
// archive and the servers that the places refer to.
SymbolPlaces symbol_places(const SymbolRequest& request, OpenedRecording& recording, SessionListener& listener);

// For processes that run now.
SymbolPlaces live_symbol_places(const UserFolders& folders);

}  // namespace peregrine
