#include "capture/bpf/pinned_filter_setup.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>

#include "capture/bpf/pinned_filter.h"

#include <pinned_filter.skel.h>

namespace peregrine {

namespace {

constexpr long kBpfFilesystem = 0xcafe4a11;  // BPF_FS_MAGIC
constexpr mode_t kAttach = 0666, kWriteOnly = 0222, kReadOnly = 0444;
constexpr const char* kNames[] = {"/program", "/filters", "/dropped"};

struct Destroy {
  void operator()(pinned_filter* skeleton) const { pinned_filter__destroy(skeleton); }
};

std::string folder_in(const std::string& bpffs) { return bpffs + "/peregrine_filter"; }

Result<> pin(int error, const std::string& path, mode_t mode) {
  if (error != 0) return fail_errno("pinning " + path, -error);
  if (::chmod(path.c_str(), mode) != 0) return fail_errno(path);
  return {};
}

Result<Fd> open_pinned(const std::string& path, u32 flags) {
  struct bpf_obj_get_opts options{};
  options.sz = sizeof options;
  options.file_flags = flags;
  Fd fd(::bpf_obj_get_opts(path.c_str(), &options));
  if (fd) return fd;
  const int error = errno;
  if (error != ENOENT && error != EACCES) return fail_errno(path, error);
  return std::unexpected(Error{ErrorKind::NotFound, "no sample filter is set up for ordinary users"}.with_hint(
      "as root, once: record --setup-filter=pin"));
}

Result<u64> random_number() {
  u64 number = 0;
  if (::getrandom(&number, sizeof number, 0) != sizeof number) return fail_errno("getrandom");
  return number == 0 ? 1 : number;  // 0 is what events without a cookie have
}

}  // namespace

Result<> pin_sample_filter(const std::string& bpffs) {
  struct statfs where{};
  if (::statfs(bpffs.c_str(), &where) != 0) return fail_errno(bpffs);
  if (where.f_type != kBpfFilesystem)
    return std::unexpected(Error{ErrorKind::Unsupported, fmt::format("bpffs is not mounted at {}", bpffs)}.with_hint(
        fmt::format("mount -t bpf bpf {}", bpffs)));
  libbpf_set_print(nullptr);
  const std::unique_ptr<pinned_filter, Destroy> skeleton(pinned_filter__open_and_load());
  if (!skeleton) {
    auto failure = fail_errno("loading the BPF program of the shared sample filter");
    failure.error().hint = "it needs root, and linux 6.2 with CONFIG_DEBUG_INFO_BTF";
    return failure;
  }
  static_cast<void>(unpin_sample_filter(bpffs));
  const std::string folder = folder_in(bpffs);
  if (::mkdir(folder.c_str(), 0755) != 0) return fail_errno(folder);
  PEREGRINE_TRY(
      pin(bpf_program__pin(skeleton->progs.filter_sample, (folder + kNames[0]).c_str()), folder + kNames[0], kAttach));
  PEREGRINE_TRY(
      pin(bpf_map__pin(skeleton->maps.filters, (folder + kNames[1]).c_str()), folder + kNames[1], kWriteOnly));
  PEREGRINE_TRY(pin(bpf_map__pin(skeleton->maps.dropped, (folder + kNames[2]).c_str()), folder + kNames[2], kReadOnly));
  struct stat status{};
  constexpr mode_t kEnter = 0111, kMode = 07777;
  if (::stat(bpffs.c_str(), &status) != 0 || ::chmod(bpffs.c_str(), (status.st_mode | kEnter) & kMode) != 0)
    return fail_errno(bpffs);
  return {};
}

Result<> unpin_sample_filter(const std::string& bpffs) {
  const std::string folder = folder_in(bpffs);
  for (const char* name : kNames)
    if (::unlink((folder + name).c_str()) != 0 && errno != ENOENT) return fail_errno(folder + name);
  if (::rmdir(folder.c_str()) == 0) return {};
  if (errno == ENOENT) return fail(ErrorKind::NotFound, "no sample filter is set up: {} does not exist", folder);
  return fail_errno(folder);
}

Result<PinnedSampleFilter> PinnedSampleFilter::open(const SampleFilterCode& filter, const std::string& bpffs) {
  const std::string folder = folder_in(bpffs);
  auto program = open_pinned(folder + kNames[0], 0);
  if (!program) return std::unexpected(std::move(program.error()));
  auto filters = open_pinned(folder + kNames[1], BPF_F_WRONLY);
  if (!filters) return std::unexpected(std::move(filters.error()));
  auto dropped = open_pinned(folder + kNames[2], BPF_F_RDONLY);
  if (!dropped) return std::unexpected(std::move(dropped.error()));
  const auto cookie = random_number(), drop_key = random_number();
  if (!cookie || !drop_key) return std::unexpected(cookie ? drop_key.error() : cookie.error());
  pinned_steps value{};
  value.drop_key = *drop_key;
  value.step_count = static_cast<u32>(std::min<std::size_t>(filter.steps.size(), kFilterSteps));
  std::copy_n(filter.steps.begin(), value.step_count, value.steps);
  if (const int error = ::bpf_map_update_elem(filters->get(), &*cookie, &value, BPF_NOEXIST); error != 0)
    return fail_errno("setting the sample filter", -error);
  PinnedSampleFilter opened;
  opened.program_ = std::move(*program);
  opened.filters_ = std::move(*filters);
  opened.dropped_ = std::move(*dropped);
  opened.cookie_ = *cookie;
  opened.drop_key_ = *drop_key;
  return opened;
}

PinnedSampleFilter::~PinnedSampleFilter() {
  if (filters_) ::bpf_map_delete_elem(filters_.get(), &cookie_);
}

Result<> PinnedSampleFilter::attach(int event) {
  bpf_link_create_opts options{};
  options.sz = sizeof options;
  options.perf_event.bpf_cookie = cookie_;
  Fd link(::bpf_link_create(program_.get(), event, BPF_PERF_EVENT, &options));
  if (!link) return fail_errno("attaching the sample filter of ordinary users");
  links_.push_back(std::move(link));
  return {};
}

u64 PinnedSampleFilter::dropped() const {
  u64 count = 0;
  return ::bpf_map_lookup_elem(dropped_.get(), &drop_key_, &count) == 0 ? count : 0;
}

}  // namespace peregrine
