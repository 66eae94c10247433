#include "cmd/build_options.h"

#include <fmt/format.h>
#include <strings.h>

namespace peregrine::cmd {

namespace {

// First linux-perf 6.1's, in its order; then those that later ones have.
constexpr BuildOption kBuildOptions[] = {
    {"dwarf", "HAVE_DWARF_SUPPORT", false, true},
    {"dwarf_getlocations", "HAVE_DWARF_GETLOCATIONS_SUPPORT", false, true},
    {"glibc", "HAVE_GLIBC_SUPPORT", true, true},
    {"syscall_table", "HAVE_SYSCALL_TABLE_SUPPORT", false, true},
    {"libbfd", "HAVE_LIBBFD_SUPPORT", false, true},
    {"debuginfod", "HAVE_DEBUGINFOD_SUPPORT", true, true},
    {"libelf", "HAVE_LIBELF_SUPPORT", true, true},
    {"libnuma", "HAVE_LIBNUMA_SUPPORT", false, true},
    {"numa_num_possible_cpus", "HAVE_LIBNUMA_SUPPORT", false, true},
    {"libperl", "HAVE_LIBPERL_SUPPORT", false, true},
    {"libpython", "HAVE_LIBPYTHON_SUPPORT", false, true},
    {"libslang", "HAVE_SLANG_SUPPORT", PEREGRINE_HAS_SCREEN != 0, true},
    {"libcrypto", "HAVE_LIBCRYPTO_SUPPORT", false, true},
    {"libunwind", "HAVE_LIBUNWIND_SUPPORT", false, true},
    {"libdw-dwarf-unwind", "HAVE_DWARF_SUPPORT", false, true},
    {"zlib", "HAVE_ZLIB_SUPPORT", true, true},
    {"lzma", "HAVE_LZMA_SUPPORT", true, true},
    {"get_cpuid", "HAVE_AUXTRACE_SUPPORT", false, true},
    {"bpf", "HAVE_LIBBPF_SUPPORT", false, true},
    {"aio", "HAVE_AIO_SUPPORT", true, true},
    {"zstd", "HAVE_ZSTD_SUPPORT", true, true},
    {"libpfm4", "HAVE_LIBPFM", false, true},
    {"auxtrace", "HAVE_AUXTRACE_SUPPORT", false, false},
    {"bpf_skeletons", "HAVE_BPF_SKEL", false, false},
    {"dwarf-unwind-support", "HAVE_DWARF_UNWIND_SUPPORT", false, false},
    {"libcapstone", "HAVE_LIBCAPSTONE_SUPPORT", false, false},
    {"libdw", "HAVE_LIBDW_SUPPORT", false, false},
    {"libLLVM", "HAVE_LIBLLVM_SUPPORT", false, false},
    {"libopencsd", "HAVE_CSTRACE_SUPPORT", false, false},
    {"libtraceevent", "HAVE_LIBTRACEEVENT", false, false},
    {"rust", "HAVE_RUST_SUPPORT", false, false},
};

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return a.size() == b.size() && ::strncasecmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace

std::span<const BuildOption> build_options() { return kBuildOptions; }

const BuildOption* find_build_option(std::string_view name) {
  for (const BuildOption& option : kBuildOptions)
    if (equal_ignoring_case(option.name, name) || equal_ignoring_case(option.macro, name)) return &option;
  return nullptr;
}

std::string build_option_row(const BuildOption& option) {
  return fmt::format("{:>22}: [ {:<3} ]  # {}\n", option.name, option.on ? "on" : "OFF", option.macro);
}

}  // namespace peregrine::cmd
