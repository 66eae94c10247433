// The layouts of structs that `trace` shows, against what the running kernel says of its own.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "abi/arch/registers.h"
#include "abi/arch/syscall.h"
#include "event/syscall/struct_layout.h"
#include "probe/btf_types.h"

namespace peregrine {
namespace {

struct Pair {
  std::string_view layout, type;
};
// Of the same name there and here, members too.
constexpr Pair kPairs[] = {
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

// A member by its name, "time.tv_sec", also inside of members without one.
std::optional<TypeMember> find_member(const BtfTypes& types, TypeRef type, std::string_view name) {
  const std::size_t dot = name.find('.');
  for (const TypeMember& member : types.members(type)) {
    std::optional<TypeMember> found;
    if (member.name.empty())
      found = find_member(types, member.type, name);
    else if (member.name != name.substr(0, dot))
      continue;
    else if (dot == name.npos)
      return member;
    else
      found = find_member(types, member.type, name.substr(dot + 1));
    if (!found) continue;
    found->offset += member.offset;
    return found;
  }
  return std::nullopt;
}

TEST(KernelLayouts, AreThoseOfTheRunningKernel) {
  std::ifstream file("/sys/kernel/btf/vmlinux", std::ios::binary);
  if (!file) GTEST_SKIP() << "this kernel does not describe its types";
  const auto types = BtfTypes::parse(std::string(std::istreambuf_iterator<char>(file), {}), "vmlinux");
  ASSERT_TRUE(types);
  const WordTables words;
  const StructLayouts layouts(words, abi::syscall_set(abi::kHostArch) == abi::SyscallSet::Generic);
  unsigned compared = 0;
  for (const Pair& pair : kPairs) {
    const StructLayout* const layout = layouts.find(pair.layout);
    ASSERT_NE(layout, nullptr) << pair.layout;
    const TypeRef type = types->find(pair.type);
    if (!type) continue;  // younger than this kernel
    ++compared;
    for (const LayoutField& field : layout->fields) {
      SCOPED_TRACE(std::string(pair.layout) + "." + std::string(field.name));
      const auto member = find_member(*types, type, field.name);
      if (!member) {
        ADD_FAILURE() << "no such member";
        continue;
      }
      EXPECT_EQ(field.offset, member->offset);
      EXPECT_EQ(field.size, types->shape(member->type).size.value_or(0));
    }
    EXPECT_LE(layout->size, types->shape(type).size.value_or(0)) << pair.layout;
  }
  EXPECT_GT(compared, 55u);
}

}  // namespace
}  // namespace peregrine
