// SymbolSource: one place where symbols of a dso were looked for: taken, and what it gave, or why not.
//
// Passive data. The loaders leave one for each candidate in the order tried; reports explain a missing name by them.
#pragma once
#include <string>
#include <string_view>

#include "base/types.h"

namespace peregrine {

enum class SourceKind : u8 {
  DebugLink,           // what .gnu_debuglink names: beside the dso, in .debug/, below /usr/lib/debug
  BuildIdCache,        // ~/.debug/.build-id/xx/yyyy…/elf (or …/vdso; from old versions a link to the file itself)
  BuildIdCacheDebug,   // ~/.debug/.build-id/xx/yyyy…/debug
  Bundle,              // the same inside the archive that the recording came in, or that lies beside it
  FedoraDebug,         // /usr/lib/debug/PATH.debug
  UbuntuDebug,         // /usr/lib/debug/PATH
  BuildIdDebug,        // /usr/lib/debug/.build-id/xx/yyyy….debug
  Dso,                 // the mapped file itself
  ZipMember,           // of a path like base.apk!/lib/x.so: the member
  LiveProcess,         // the file as a process that mapped it sees it: /proc/PID/root, /proc/PID/map_files
  OpenEmbeddedDebug,   // DIR/.debug/FILE
  MixedUpUbuntuDebug,  // /usr/lib/debug/lib/X for /usr/lib/X
  MiniDebug,           // .gnu_debugdata of a file that was taken
  DebugServer,         // a debuginfod server's file
  Module,              // a kernel module's .ko, perhaps compressed
  Vmlinux,             // a kernel image
  Kallsyms,            // the kernel's own list, live or saved
  PerfMap,             // /tmp/perf-PID.map
  JitDump,             // jit-PID.dump, as the program has mapped it
};

enum class MissReason : u8 {
  None,  // it was taken
  Absent,
  Denied,
  Untrusted,   // written at run time, by somebody who is neither the process's owner nor trusted
  Unreadable,  // the machine failed: a disk, memory, descriptors
  NotRegular,
  NotElf,
  BadCompression,   // a compressed file that cannot be unpacked
  BuildIdMismatch,  // the file has another build-id, or none, than the recording says
  CrcMismatch,      // the debug file is not the one its .gnu_debuglink means
  NoSymbols,        // neither .symtab nor .dynsym: stripped
  HiddenAddresses,  // a kernel's list whose addresses all read as zero
  NotOnServer,
  NoServer,   // none answered, or libdebuginfod is not installed
  NotNeeded,  // an earlier candidate had all that is wanted
};
// A few words for people: "build-id differs", "no such file".
std::string_view describe(MissReason reason);

// What a taken file names.
enum class SymbolSet : u8 {
  None,      // nothing, or it was not taken
  Exported,  // .dynsym: what other files may call
  All,       // .symtab
};

struct SymbolSource {
  SourceKind kind = SourceKind::Dso;
  std::string path;
  MissReason miss = MissReason::None;
  SymbolSet gave = SymbolSet::None;
  int error = 0;  // errno of opening it; 0: none, or it was not opened
};

}  // namespace peregrine
