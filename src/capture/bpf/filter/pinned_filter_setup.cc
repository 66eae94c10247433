#include "capture/bpf/filter/pinned_filter_setup.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/bpf.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <expected>
#include <memory>
#include <utility>

#include "abi/sample_filter.h"
#include "base/result.h"
#include "base/types.h"
#include "capture/bpf/filter/pinned_filter.h"

#include <pinned_filter.skel.h>

namespace peregrine {

namespace {

constexpr long kBpfFilesystem = 0xcafe4a11;  // BPF_FS_MAGIC
constexpr mode_t kAttachMode = 0666, kWriteOnlyMode = 0222, kReadOnlyMode = 0444, kEnterMode = 0111;
constexpr const char* kFolder = "peregrine_filter";
constexpr const char *kProgram = "program", *kFilters = "filters", *kDropped = "dropped";
// A marker folder, since bpffs has no plain files. Its mode holds the x bits that pinning added to bpffs.
constexpr const char* kAddedBits = "added_bits";

struct Destroy {
  void operator()(pinned_filter* skeleton) const { pinned_filter__destroy(skeleton); }
};

std::string folder_in(const std::string& bpffs) { return fmt::format("{}/{}", bpffs, kFolder); }

// bpf(2) accepts only paths before Linux 6.5; this one always leads into the folder that was checked.
std::string path_in(const Fd& folder, const char* name) {
  return fmt::format("/proc/self/fd/{}/{}", folder.get(), name);
}

// Errors: NotFound; Denied if another user created it.
Result<Fd> open_roots_folder(const Fd& bpffs, const std::string& path) {
  Fd folder(::openat(bpffs.get(), kFolder, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!folder && errno == ENOENT)
    return fail(ErrorKind::NotFound, "no sample filter is set up: {} does not exist", path);
  if (!folder && errno != ENOTDIR) return fail_errno(path);
  struct stat status{};
  if (folder && ::fstat(folder.get(), &status) != 0) return fail_errno(path);
  if (folder && status.st_uid == 0) return folder;
  return std::unexpected(Error{ErrorKind::Denied, fmt::format("'{}' is not a folder owned by root", path)}.with_hint(
      "as root, remove it"));
}

Result<Fd> open_bpffs(const std::string& path) {
  Fd bpffs(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  struct statfs where{};
  if (!bpffs || ::fstatfs(bpffs.get(), &where) != 0) return fail_errno(path);
  if (where.f_type == kBpfFilesystem) return bpffs;
  return std::unexpected(Error{ErrorKind::Unsupported, fmt::format("bpffs is not mounted at {}", path)}.with_hint(
      fmt::format("mount -t bpf -o mode=0711 bpf {}", path)));
}

Result<> pin(int object, const Fd& folder, const char* name, mode_t mode) {
  if (::bpf_obj_pin(object, path_in(folder, name).c_str()) != 0 || ::fchmodat(folder.get(), name, mode, 0) != 0)
    return fail_errno(fmt::format("cannot pin {}/{}", kFolder, name));
  return {};
}

// The mode is set afterwards, so that the umask cannot keep other users out.
Result<Fd> make_folder(const Fd& bpffs, const std::string& path) {
  if (::mkdirat(bpffs.get(), kFolder, 0700) != 0) return fail_errno(path);
  auto folder = open_roots_folder(bpffs, path);
  if (folder && ::fchmodat(folder->get(), ".", 0755, 0) != 0) return fail_errno(path);
  return folder;
}

Result<mode_t> let_everybody_enter(const Fd& bpffs, const Fd& folder) {
  struct stat status{};
  if (::fstat(bpffs.get(), &status) != 0) return fail_errno("bpffs");
  const mode_t added = kEnterMode & ~status.st_mode;
  if (added == 0) return added;
  // Writes the marker first: if this process is killed in between, unpinning still undoes everything.
  if (::mkdirat(folder.get(), kAddedBits, 0) != 0 || ::fchmodat(folder.get(), kAddedBits, added, 0) != 0 ||
      ::fchmod(bpffs.get(), (status.st_mode & 07777) | added) != 0)
    return fail_errno("cannot open bpffs to all users");
  return added;
}

Result<> take_added_bits_back(const Fd& bpffs, const Fd& folder) {
  struct stat note{}, status{};
  if (::fstatat(folder.get(), kAddedBits, &note, AT_SYMLINK_NOFOLLOW) != 0) {
    if (errno == ENOENT) return {};
    return fail_errno(kAddedBits);
  }
  if (::fstat(bpffs.get(), &status) != 0 ||
      ::fchmod(bpffs.get(), status.st_mode & 07777 & ~(note.st_mode & kEnterMode)) != 0)
    return fail_errno("cannot close bpffs to other users");
  if (::unlinkat(folder.get(), kAddedBits, AT_REMOVEDIR) != 0) return fail_errno(kAddedBits);
  return {};
}

Result<> unpin_in(const Fd& bpffs, const std::string& path) {
  const auto folder = open_roots_folder(bpffs, path);
  if (!folder) return std::unexpected(folder.error());
  for (const char* name : {kProgram, kFilters, kDropped})
    if (::unlinkat(folder->get(), name, 0) != 0 && errno != ENOENT) return fail_errno(fmt::format("{}/{}", path, name));
  PEREGRINE_TRY(take_added_bits_back(bpffs, *folder));
  if (::unlinkat(bpffs.get(), kFolder, AT_REMOVEDIR) != 0) return fail_errno(path);
  return {};
}

Result<mode_t> pin_in(const Fd& bpffs, const std::string& path, const pinned_filter& skeleton) {
  const auto folder = make_folder(bpffs, path);
  if (!folder) return std::unexpected(folder.error());
  PEREGRINE_TRY(pin(bpf_program__fd(skeleton.progs.filter_sample), *folder, kProgram, kAttachMode));
  PEREGRINE_TRY(pin(bpf_map__fd(skeleton.maps.filters), *folder, kFilters, kWriteOnlyMode));
  PEREGRINE_TRY(pin(bpf_map__fd(skeleton.maps.dropped), *folder, kDropped, kReadOnlyMode));
  return let_everybody_enter(bpffs, *folder);
}

std::unexpected<Error> nothing_pinned() {
  return std::unexpected(Error{ErrorKind::NotFound, "no sample filter is set up for ordinary users"}.with_hint(
      "run once as root: record --setup-filter=pin"));
}

Result<Fd> open_pinned(const Fd& folder, const char* name, u32 flags) {
  struct bpf_obj_get_opts options{};
  options.sz = sizeof options;
  options.file_flags = flags;
  Fd fd(::bpf_obj_get_opts(path_in(folder, name).c_str(), &options));
  if (fd) return fd;
  if (errno == ENOENT || errno == EACCES) return nothing_pinned();
  return fail_errno(fmt::format("{}/{}", kFolder, name));
}

// Anyone who may write to a map can also freeze it (BPF_MAP_FREEZE) and so block all users.
std::unexpected<Error> frozen() {
  return std::unexpected(Error{ErrorKind::Denied, "the pinned filters are frozen"}.with_hint(
      "run 'record --setup-filter=pin' again as root"));
}

Result<u64> random_number() {
  u64 number = 0;
  if (::getrandom(&number, sizeof number, 0) != sizeof number) return fail_errno("getrandom");
  return number == 0 ? 1 : number;  // 0 means no cookie
}

}  // namespace

Result<mode_t> pin_sample_filter(const std::string& bpffs) {
  const auto top = open_bpffs(bpffs);
  if (!top) return std::unexpected(top.error());
  libbpf_set_print(nullptr);
  const std::unique_ptr<pinned_filter, Destroy> skeleton(pinned_filter__open_and_load());
  if (!skeleton) {
    auto failure = fail_errno("cannot load the BPF program of the shared sample filter");
    failure.error().hint = "requires root, and Linux 6.2 with CONFIG_DEBUG_INFO_BTF";
    return failure;
  }
  const std::string path = folder_in(bpffs);
  if (auto old = unpin_in(*top, path); !old && old.error().kind != ErrorKind::NotFound)
    return std::unexpected(std::move(old.error()));
  auto added = pin_in(*top, path, *skeleton);
  if (!added) static_cast<void>(unpin_in(*top, path));
  return added;
}

Result<> unpin_sample_filter(const std::string& bpffs) {
  const auto top = open_bpffs(bpffs);
  if (!top) return std::unexpected(top.error());
  return unpin_in(*top, folder_in(bpffs));
}

Result<PinnedSampleFilter> PinnedSampleFilter::open(const SampleFilterCode& filter, const std::string& bpffs) {
  const Fd top(::open(bpffs.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!top) return nothing_pinned();
  const auto folder = open_roots_folder(top, folder_in(bpffs));
  if (!folder && (folder.error().kind == ErrorKind::NotFound || folder.error().system_errno == EACCES))
    return nothing_pinned();
  if (!folder) return std::unexpected(folder.error());
  auto program = open_pinned(*folder, kProgram, 0);
  if (!program) return std::unexpected(std::move(program.error()));
  auto filters = open_pinned(*folder, kFilters, BPF_F_WRONLY);
  if (!filters) return std::unexpected(std::move(filters.error()));
  auto dropped = open_pinned(*folder, kDropped, BPF_F_RDONLY);
  if (!dropped) return std::unexpected(std::move(dropped.error()));
  const auto cookie = random_number(), drop_key = random_number();
  if (!cookie || !drop_key) return std::unexpected(cookie ? drop_key.error() : cookie.error());
  pinned_steps value{};
  value.drop_key = *drop_key;
  value.step_count = static_cast<u32>(std::min<std::size_t>(filter.steps.size(), kFilterSteps));
  std::copy_n(filter.steps.begin(), value.step_count, value.steps);
  if (const int error = ::bpf_map_update_elem(filters->get(), &*cookie, &value, BPF_NOEXIST); error != 0) {
    if (error == -EPERM) return frozen();
    return fail_errno("cannot set the sample filter", -error);
  }
  PinnedSampleFilter opened;
  opened.program_ = std::move(*program);
  opened.filters_ = std::move(*filters);
  opened.dropped_ = std::move(*dropped);
  opened.cookie_ = *cookie;
  opened.drop_key_ = *drop_key;
  return opened;
}

PinnedSampleFilter::~PinnedSampleFilter() { static_cast<void>(remove()); }

Result<> PinnedSampleFilter::remove() {
  if (!filters_) return {};
  const int error = ::bpf_map_delete_elem(filters_.get(), &cookie_);
  filters_.reset();
  if (error == -EPERM) return frozen();
  if (error == -ENOENT) return fail(ErrorKind::NotFound, "other users pushed the sample filter out of the shared map");
  if (error != 0) return fail_errno("cannot remove the sample filter", -error);
  return {};
}

Result<> PinnedSampleFilter::attach(int event) {
  bpf_link_create_opts options{};
  options.sz = sizeof options;
  options.perf_event.bpf_cookie = cookie_;
  Fd link(::bpf_link_create(program_.get(), event, BPF_PERF_EVENT, &options));
  if (!link) return fail_errno("cannot attach the sample filter of ordinary users");
  links_.push_back(std::move(link));
  return {};
}

u64 PinnedSampleFilter::dropped() const {
  u64 count = 0;
  return ::bpf_map_lookup_elem(dropped_.get(), &drop_key_, &count) == 0 ? count : 0;
}

}  // namespace peregrine
