// SymbolSource: one place that was searched for a dso's symbols, and what it provided or why it was rejected.
//
// Plain data. Loaders add one per candidate in order; reports use them to explain missing names.
#pragma once
#include <string>
#include <string_view>

#include "base/types.h"

namespace peregrine {

enum class SourceKind : u8 {
  DebugLink,           // the target of .gnu_debuglink: next to the dso, in .debug/, below /usr/lib/debug
  BuildIdCache,        // ~/.debug/.build-id/xx/yyyy…/elf (or …/vdso; old versions: a link to the file)
  BuildIdCacheDebug,   // ~/.debug/.build-id/xx/yyyy…/debug
  Bundle,              // likewise, in the archive that contains the recording or is next to it
  FedoraDebug,         // /usr/lib/debug/PATH.debug
  UbuntuDebug,         // /usr/lib/debug/PATH
  BuildIdDebug,        // /usr/lib/debug/.build-id/xx/yyyy….debug
  Dso,                 // the mapped file itself
  ZipMember,           // for paths like base.apk!/lib/x.so: the member
  LiveProcess,         // the file as a process sees it: /proc/PID/root, /proc/PID/map_files
  OpenEmbeddedDebug,   // DIR/.debug/FILE
  MixedUpUbuntuDebug,  // /usr/lib/debug/lib/X for /usr/lib/X
  MiniDebug,           // .gnu_debugdata of a file that was used
  DebugServer,         // a kernel module's .ko, possibly compressed
  Module,              // a kernel module's .ko, perhaps compressed
  Vmlinux,             // a kernel image
  Kallsyms,            // the kernel's symbol list, live or saved
  PerfMap,             // /tmp/perf-PID.map
  JitDump,             // jit-PID.dump, as the program mapped it
};

enum class MissReason : u8 {
  None,  // it was taken
  Absent,
  Denied,
  Untrusted,   // a run-time file owned by neither the process's owner nor a trusted user
  Unreadable,  // an I/O error, or out of memory or descriptors
  NotRegular,
  NotElf,
  BadCompression,   // decompression failed
  BuildIdMismatch,  // the file's build-id is missing or differs from the recorded one
  CrcMismatch,      // not the debug file that .gnu_debuglink refers to
  NoSymbols,        // neither .symtab nor .dynsym: stripped
  HiddenAddresses,  // a kernel list with all addresses zero
  NotOnServer,
  NoServer,   // no server answered, or libdebuginfod is not installed
  NotNeeded,  // an earlier candidate sufficed
};
// A short text: "build-id differs", "no such file".
std::string_view describe(MissReason reason);

// Which symbols a file provided.
enum class SymbolSet : u8 {
  None,      // none, or it was not used
  Exported,  // .dynsym: symbols visible to other files
  All,       // .symtab
};

struct SymbolSource {
  SourceKind kind = SourceKind::Dso;
  std::string path;
  MissReason miss = MissReason::None;
  SymbolSet gave = SymbolSet::None;
  int error = 0;  // errno of opening it; 0 if it succeeded or was not tried
};

}  // namespace peregrine
