// version: which program this is, and what it was built with. hotspot and other front ends read --build-options.
#include "cmd/version.h"

#include "cmd/command_table.h"

namespace peregrine::cmd {

namespace {

struct VersionOptions {
  bool build_options = false;
};

constexpr Option kOptions[] = {
    {.name = "build-options", .help = "display the build options", .store = set<&VersionOptions::build_options>},
};

struct BuildOption {
  std::string_view name, macro;
  bool on;
};

// linux-perf's names, in its order. `on` means that the feature works here, whatever library does it.
constexpr BuildOption kBuildOptions[] = {
    {"dwarf", "HAVE_DWARF_SUPPORT", false},
    {"dwarf_getlocations", "HAVE_DWARF_GETLOCATIONS_SUPPORT", false},
    {"glibc", "HAVE_GLIBC_SUPPORT", true},
    {"syscall_table", "HAVE_SYSCALL_TABLE_SUPPORT", false},
    {"libbfd", "HAVE_LIBBFD_SUPPORT", false},
    {"debuginfod", "HAVE_DEBUGINFOD_SUPPORT", false},
    {"libelf", "HAVE_LIBELF_SUPPORT", true},
    {"libnuma", "HAVE_LIBNUMA_SUPPORT", false},
    {"numa_num_possible_cpus", "HAVE_LIBNUMA_SUPPORT", false},
    {"libperl", "HAVE_LIBPERL_SUPPORT", false},
    {"libpython", "HAVE_LIBPYTHON_SUPPORT", false},
    {"libslang", "HAVE_SLANG_SUPPORT", false},
    {"libcrypto", "HAVE_LIBCRYPTO_SUPPORT", false},
    {"libunwind", "HAVE_LIBUNWIND_SUPPORT", false},
    {"libdw-dwarf-unwind", "HAVE_DWARF_SUPPORT", false},
    {"zlib", "HAVE_ZLIB_SUPPORT", false},
    {"lzma", "HAVE_LZMA_SUPPORT", false},
    {"get_cpuid", "HAVE_AUXTRACE_SUPPORT", false},
    {"bpf", "HAVE_LIBBPF_SUPPORT", false},
    {"aio", "HAVE_AIO_SUPPORT", true},
    {"zstd", "HAVE_ZSTD_SUPPORT", true},
    {"libpfm4", "HAVE_LIBPFM", false},
};

Result<int> version(VersionOptions& options, Invocation& call) {
  call.out.append(version_line(call.messages.program())).append('\n');
  if (options.build_options)
    for (const BuildOption& option : kBuildOptions)
      call.out.format("{:>22}: [ {:<3} ]  # {}\n", option.name, option.on ? "on" : "OFF", option.macro);
  return 0;
}

}  // namespace

std::string version_line(std::string_view program) {
  if (program == "perf") return fmt::format("perf version {}-peregrine-{}", kSpeaks, kVersion);
  return fmt::format("{} version {}", program, kVersion);
}

constinit const Command kVersionCommand{.name = "version",
                                        .summary = "display the version of perf binary",
                                        .options = kOptions,
                                        .run = entry<VersionOptions, version>};

}  // namespace peregrine::cmd
