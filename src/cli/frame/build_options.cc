#include "cli/frame/build_options.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>
#include <vector>

#include "base/nearest.h"
#include "base/text/ascii.h"

namespace peregrine {

namespace {

// The features of linux-perf 6.1 in its order, followed by those of later versions.
constexpr BuildOption kBuildOptions[] = {
    {"dwarf", "HAVE_DWARF_SUPPORT", true, true},
    {"dwarf_getlocations", "HAVE_DWARF_GETLOCATIONS_SUPPORT", true, true},
    {"glibc", "HAVE_GLIBC_SUPPORT", true, true},
    {"syscall_table", "HAVE_SYSCALL_TABLE_SUPPORT", true, true},
    {"libbfd", "HAVE_LIBBFD_SUPPORT", false, true},
    {"debuginfod", "HAVE_DEBUGINFOD_SUPPORT", true, true},
    {"libelf", "HAVE_LIBELF_SUPPORT", true, true},
    {"libnuma", "HAVE_LIBNUMA_SUPPORT", true, true},
    {"numa_num_possible_cpus", "HAVE_LIBNUMA_SUPPORT", true, true},
    {"libperl", "HAVE_LIBPERL_SUPPORT", true, true, "script_perl.so"},
    {"libpython", "HAVE_LIBPYTHON_SUPPORT", true, true, "script_python.so"},
    {"libslang", "HAVE_SLANG_SUPPORT", true, true, "screen_ncurses.so"},
    {"libcrypto", "HAVE_LIBCRYPTO_SUPPORT", false, true},
    {"libunwind", "HAVE_LIBUNWIND_SUPPORT", true, true},
    {"libdw-dwarf-unwind", "HAVE_DWARF_SUPPORT", true, true},
    {"zlib", "HAVE_ZLIB_SUPPORT", true, true},
    {"lzma", "HAVE_LZMA_SUPPORT", true, true},
    {"get_cpuid", "HAVE_AUXTRACE_SUPPORT", true, true},
    {"bpf", "HAVE_LIBBPF_SUPPORT", true, true},
    {"aio", "HAVE_AIO_SUPPORT", true, true},
    {"zstd", "HAVE_ZSTD_SUPPORT", true, true},
    {"libpfm4", "HAVE_LIBPFM", true, true},
    {"auxtrace", "HAVE_AUXTRACE_SUPPORT", true, false},
    {"bpf_skeletons", "HAVE_BPF_SKEL", true, false},
    {"dwarf-unwind-support", "HAVE_DWARF_UNWIND_SUPPORT", true, false},
    {"libcapstone", "HAVE_LIBCAPSTONE_SUPPORT", true, false},
    {"libdw", "HAVE_LIBDW_SUPPORT", true, false},
    {"libLLVM", "HAVE_LIBLLVM_SUPPORT", false, false},
    {"libopencsd", "HAVE_CSTRACE_SUPPORT", PEREGRINE_HAS_OPENCSD, false},
    {"libtraceevent", "HAVE_LIBTRACEEVENT", true, false},
    {"rust", "HAVE_RUST_SUPPORT", false, false},
};

}  // namespace

std::span<const BuildOption> build_options() { return kBuildOptions; }

const BuildOption* find_build_option(std::string_view name) {
  for (const BuildOption& option : kBuildOptions)
    if (equal_any_case(option.name, name) || equal_any_case(option.macro, name)) return &option;
  return nullptr;
}

Error unknown_build_option(std::string_view name) {
  std::vector<std::string_view> names;
  for (const BuildOption& option : kBuildOptions) names.push_back(option.name);
  Error error{ErrorKind::NotFound, fmt::format("unknown feature '{}'", name)};
  error.hint = fmt::format("must be one of {}", fmt::join(names, ", "));
  if (const auto meant = nearest(name, names)) error.hint = fmt::format("did you mean '{}'?", *meant);
  return error;
}

bool build_option_works(const BuildOption& option, const std::string& plugins) {
  std::error_code error;
  return option.on &&
         (option.plugin.empty() || std::filesystem::exists(plugins + "/" + std::string(option.plugin), error));
}

std::string build_option_row(const BuildOption& option, bool on) {
  return fmt::format("{:>22}: [ {:<3} ]  # {}\n", option.name, on ? "on" : "OFF", option.macro);
}

}  // namespace peregrine
