#include "probe/type/btf_layouts.h"

#include <expected>
#include <fstream>
#include <iterator>

#include "base/result.h"
#include "base/types.h"
#include "probe/type/type_source.h"

namespace peregrine {

namespace {

constexpr unsigned kDeepestStruct = 8;  // nested structs

constexpr LayoutType kTypes[] = {
    {"bpf_attach", "union bpf_attr"},
    {"bpf_batch", "union bpf_attr"},
    {"bpf_bind", "union bpf_attr"},
    {"bpf_btf_id", "union bpf_attr"},
    {"bpf_btf_load", "union bpf_attr"},
    {"bpf_detach", "union bpf_attr"},
    {"bpf_elem", "union bpf_attr"},
    {"bpf_info", "union bpf_attr"},
    {"bpf_iter", "union bpf_attr"},
    {"bpf_link_create", "union bpf_attr"},
    {"bpf_link_id", "union bpf_attr"},
    {"bpf_link_update", "union bpf_attr"},
    {"bpf_map", "union bpf_attr"},
    {"bpf_map_create", "union bpf_attr"},
    {"bpf_map_id", "union bpf_attr"},
    {"bpf_next_id", "union bpf_attr"},
    {"bpf_obj", "union bpf_attr"},
    {"bpf_prog_id", "union bpf_attr"},
    {"bpf_prog_load", "union bpf_attr"},
    {"bpf_query", "union bpf_attr"},
    {"bpf_raw_tracepoint", "union bpf_attr"},
    {"bpf_stats", "union bpf_attr"},
    {"bpf_task_fd", "union bpf_attr"},
    {"bpf_test", "union bpf_attr"},
    {"cachestat", "struct cachestat"},
    {"cachestat_range", "struct cachestat_range"},
    {"clone_args", "struct clone_args"},
    {"clone_range", "struct file_clone_range"},
    {"fiemap", "struct fiemap"},
    {"file_attr", "struct file_attr"},
    {"file_handle", "struct file_handle"},
    {"flock", "struct flock"},
    {"fsxattr", "struct fsxattr"},
    {"futex_waitv", "struct futex_waitv"},
    {"io_event", "struct io_event"},
    {"iocb", "struct iocb"},
    {"iovec", "struct iovec"},
    {"itimerspec", "struct __kernel_itimerspec"},
    {"landlock_ruleset_attr", "struct landlock_ruleset_attr"},
    {"lsm_ctx", "struct lsm_ctx"},
    {"mnt_id_req", "struct mnt_id_req"},
    {"mount_attr", "struct mount_attr"},
    {"mq_attr", "struct mq_attr"},
    {"msqid64_ds", "struct msqid64_ds"},
    {"open_how", "struct open_how"},
    {"pollfd", "struct pollfd"},
    {"rlimit", "struct rlimit64"},
    {"robust_list_head", "struct robust_list_head"},
    {"rseq", "struct rseq"},
    {"rusage", "struct rusage"},
    {"sched_attr", "struct sched_attr"},
    {"seccomp_sizes", "struct seccomp_notif_sizes"},
    {"sembuf", "struct sembuf"},
    {"semid64_ds", "struct semid64_ds"},
    {"shmid64_ds", "struct shmid64_ds"},
    {"sigaction", "struct sigaction"},
    {"sock_fprog", "struct sock_fprog"},
    {"stat", "struct stat"},
    {"statfs", "struct statfs"},
    {"statmount", "struct statmount"},
    {"statx", "struct statx"},
    {"termios", "struct termios"},
    {"termios2", "struct termios2"},
    {"timespec", "struct __kernel_timespec"},
    {"timex", "struct __kernel_timex"},
    {"ustat", "struct ustat"},
    {"utimbuf", "struct utimbuf"},
    {"utsname", "struct new_utsname"},
    {"winsize", "struct winsize"},
    {"xattr_args", "struct xattr_args"},
};

class LayoutMaker {
 public:
  LayoutMaker(const BtfTypes& types, StructLayout& layout, std::deque<std::string>& names)
      : types_(types), layout_(layout), names_(names) {}

  void add_members(TypeRef type, u64 offset, const std::string& prefix, bool first_only, unsigned depth) {
    if (depth > kDeepestStruct) return;
    for (const TypeMember& member : types_.members(type)) {
      if (member.bit_size == 0) add(member, offset + member.offset, prefix, depth);
      // Which member of a union is valid is unknown here, so the first one is shown.
      if (first_only) return;
    }
  }

 private:
  void add(const TypeMember& member, u64 offset, const std::string& prefix, unsigned depth) {
    const TypeShape shape = types_.shape(member.type);
    const bool is_union = shape.kind == TypeKind::Union;
    if (is_union || shape.kind == TypeKind::Structure) {
      const std::string inner = member.name.empty() ? prefix : prefix + member.name + '.';
      return add_members(member.type, offset, inner, is_union, depth + 1);
    }
    const std::optional<FieldKind> kind = kind_of(shape);
    const u64 size = shape.size.value_or(0);
    if (!kind || size == 0 || offset + size > layout_.size) return;
    if (*kind != FieldKind::Text && size > 8) return;
    names_.push_back(prefix + member.name);
    layout_.fields.push_back(
        {.name = names_.back(), .kind = *kind, .offset = static_cast<u16>(offset), .size = static_cast<u16>(size)});
  }

  std::optional<FieldKind> kind_of(const TypeShape& shape) const {
    switch (shape.kind) {
      case TypeKind::Integer:
      case TypeKind::Enumeration:
        return shape.is_signed ? FieldKind::Signed : FieldKind::Unsigned;
      case TypeKind::Pointer:
        return FieldKind::Pointer;
      case TypeKind::Array:
        if (types_.shape(shape.target).is_character) return FieldKind::Text;
        return std::nullopt;
      default:
        return std::nullopt;
    }
  }

  const BtfTypes& types_;
  StructLayout& layout_;
  std::deque<std::string>& names_;
};

}  // namespace

std::span<const LayoutType> layout_types() { return kTypes; }

std::optional<StructLayout> btf_layout(const BtfTypes& types, std::string_view layout, u16 size,
                                       std::deque<std::string>& names) {
  for (const LayoutType& known : kTypes) {
    if (known.layout != layout || known.type.starts_with("union")) continue;  // the call decides which member is valid
    const TypeRef type = types.find(known.type);
    if (!type) return std::nullopt;
    StructLayout made{.name = known.layout, .size = size, .fields = {}};
    LayoutMaker(types, made, names).add_members(type, 0, "", false, 0);
    if (made.fields.empty()) return std::nullopt;
    return made;
  }
  return std::nullopt;
}

Result<BtfTypes> running_kernel_types() {
  std::ifstream file("/sys/kernel/btf/vmlinux", std::ios::binary);
  if (!file)
    return std::unexpected(Error{ErrorKind::Unsupported, "this kernel has no type information (BTF)"}.with_hint(
        "mount sysfs, or boot a kernel built with CONFIG_DEBUG_INFO_BTF: /sys/kernel/btf/vmlinux cannot be opened"));
  return BtfTypes::parse(std::string(std::istreambuf_iterator<char>(file), {}), "vmlinux");
}

}  // namespace peregrine
