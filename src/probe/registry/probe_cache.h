// ProbeCache: named probes in the build-id cache next to the program, in linux-perf's `probes` files.
//
//   %sdt_libc:setjmp=setjmp                       a marker of the program
//   p:sdt_libc/setjmp /lib/libc.so.6:0x3dac1 …
//   #probe_prog:work=work n                       the argument of `probe --cache`
//   p:probe_prog/work /bin/prog:0x12f0 n=%si:s32
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "probe/definition/trace_probe.h"
#include "symbol/elf/elf_file.h"

namespace peregrine {

struct CachedProbe {
  bool is_marker = false;
  std::string group, event;
  std::string definition;  // "work n"
  std::vector<TraceProbe> probes;

  std::string name() const { return group + ':' + event; }
};

struct CachedProgram {
  std::string path;      // path of the program, or "[kernel.kallsyms]"
  std::string build_id;  // hexadecimal
  std::string file;      // the `probes` file
  std::vector<CachedProbe> entries;
};

std::vector<CachedProbe> parse_cached_probes(std::string_view text);
std::string format_cached_probes(const std::vector<CachedProbe>& entries);

// All programs of a build-id cache that have entries, by path.
std::vector<CachedProgram> read_probe_cache(const std::string& cache);
Result<> write_cached_probes(const CachedProgram& program);
// Stores the markers of a program in its `probes` file; writes nothing if it has none.
Result<> cache_markers(const std::string& probes_file, const ElfFile& file, const std::string& path);

}  // namespace peregrine
