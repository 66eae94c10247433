#include "event/syscall/struct_layout.h"

#include <asm/termbits.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <linux/aio_abi.h>
#include <linux/bpf.h>
#include <linux/capability.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <linux/futex.h>
#include <linux/io_uring.h>
#include <linux/openat2.h>
#include <linux/rseq.h>
#include <linux/stat.h>
#include <linux/sysinfo.h>
#include <mqueue.h>
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/msg.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/timex.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <utime.h>

#include <cstddef>
#include <ctime>
#include <utility>

#include "abi/arch/registers.h"
#include "abi/arch/syscall.h"

namespace peregrine {
namespace {

// A member of a struct in the system's headers; a layout must have it at the same offset.
struct HeaderMember {
  std::string_view layout, field;
  std::size_t struct_size, offset, size;
};
#define MEMBER_AS(layout, field, type, member) \
  {layout, field, sizeof(type), offsetof(type, member), sizeof(std::declval<type>().member)}
#define MEMBER(layout, type, member) MEMBER_AS(layout, #member, type, member)

// For each struct, at least the last displayed field: its offset depends on the sizes of all fields before it.
const HeaderMember kMembers[] = {
    MEMBER("bpf_map_create", bpf_attr, map_type),
    MEMBER("bpf_map_create", bpf_attr, map_flags),
    MEMBER("bpf_map_create", bpf_attr, map_name),
    MEMBER("bpf_elem", bpf_attr, key),
    MEMBER("bpf_elem", bpf_attr, flags),
    MEMBER("bpf_prog_load", bpf_attr, license),
    MEMBER("bpf_prog_load", bpf_attr, prog_name),
    MEMBER("bpf_prog_load", bpf_attr, expected_attach_type),
    MEMBER("bpf_obj", bpf_attr, file_flags),
    MEMBER("bpf_attach", bpf_attr, attach_flags),
    MEMBER("bpf_test", bpf_attr, test.data_in),
    MEMBER("bpf_test", bpf_attr, test.duration),
    MEMBER("bpf_next_id", bpf_attr, next_id),
    MEMBER("bpf_next_id", bpf_attr, open_flags),
    MEMBER("bpf_map_id", bpf_attr, open_flags),
    MEMBER("bpf_info", bpf_attr, info.info),
    MEMBER("bpf_query", bpf_attr, query.prog_ids),
    MEMBER("bpf_raw_tracepoint", bpf_attr, raw_tracepoint.prog_fd),
    MEMBER("bpf_btf_load", bpf_attr, btf_log_level),
    MEMBER("bpf_task_fd", bpf_attr, task_fd_query.buf),
    MEMBER("bpf_task_fd", bpf_attr, task_fd_query.fd_type),
    MEMBER("bpf_batch", bpf_attr, batch.values),
    MEMBER("bpf_batch", bpf_attr, batch.flags),
    MEMBER("bpf_link_create", bpf_attr, link_create.flags),
    MEMBER("bpf_link_update", bpf_attr, link_update.old_prog_fd),
    MEMBER("bpf_bind", bpf_attr, prog_bind_map.flags),
    MEMBER("cap_data", __user_cap_data_struct, inheritable),
    MEMBER("cap_header", __user_cap_header_struct, pid),
    MEMBER("clone_range", file_clone_range, dest_offset),
    MEMBER("fiemap", fiemap, fm_extent_count),
    MEMBER("flock", flock, l_start),
    MEMBER("flock", flock, l_pid),
    MEMBER("fsxattr", fsxattr, fsx_cowextsize),
    MEMBER("futex_waitv", futex_waitv, flags),
    MEMBER("iocb", iocb, aio_lio_opcode),
    MEMBER("iocb", iocb, aio_fildes),
    MEMBER("iocb", iocb, aio_offset),
    MEMBER("io_event", io_event, res2),
    MEMBER("io_uring_params", io_uring_params, wq_fd),
    MEMBER("iovec", iovec, iov_len),
    MEMBER("itimerspec", itimerspec, it_value.tv_nsec),
    MEMBER("itimerval", itimerval, it_value.tv_usec),
    MEMBER("mq_attr", mq_attr, mq_curmsgs),
    MEMBER_AS("msqid64_ds", "msg_perm.key", msqid_ds, msg_perm.__key),
    MEMBER("msqid64_ds", msqid_ds, msg_perm.gid),
    MEMBER("msqid64_ds", msqid_ds, msg_stime),
    MEMBER("msqid64_ds", msqid_ds, msg_lrpid),
    MEMBER("open_how", open_how, resolve),
    MEMBER("pollfd", pollfd, revents),
    MEMBER("rlimit", rlimit, rlim_max),
    MEMBER("rseq", rseq, rseq_cs),
    MEMBER("rusage", rusage, ru_stime.tv_usec),
    MEMBER("rusage", rusage, ru_maxrss),
    // <linux/sched/types.h> clashes with <sched.h>.
    {"sched_attr", "sched_nice", 56, 16, 4},
    {"sched_attr", "sched_period", 56, 40, 8},
    MEMBER("sembuf", sembuf, sem_flg),
    MEMBER("semid64_ds", semid_ds, sem_otime),
    MEMBER("semid64_ds", semid_ds, sem_ctime),
    MEMBER("semid64_ds", semid_ds, sem_nsems),
    MEMBER("shmid64_ds", shmid_ds, shm_segsz),
    MEMBER("shmid64_ds", shmid_ds, shm_nattch),
    MEMBER("sigevent", sigevent, sigev_notify),
    MEMBER("siginfo", siginfo_t, si_code),
    MEMBER("siginfo", siginfo_t, si_status),
    MEMBER("stack_t", stack_t, ss_flags),
    MEMBER("stack_t", stack_t, ss_size),
    MEMBER("statfs", struct statfs, f_ffree),
    MEMBER("statx", struct statx, stx_mask),
    MEMBER("statx", struct statx, stx_mode),
    MEMBER("statx", struct statx, stx_size),
    MEMBER("sysinfo", struct sysinfo, freeram),
    MEMBER("termios", termios, c_lflag),
    MEMBER("termios", termios, c_line),
    MEMBER("termios2", termios2, c_ospeed),
    MEMBER("timespec", timespec, tv_nsec),
    MEMBER("timeval", timeval, tv_usec),
    MEMBER("timex", timex, status),
    MEMBER("timex", timex, time.tv_usec),
    MEMBER("timex", timex, tick),
    MEMBER("tms", tms, tms_cstime),
    MEMBER("utimbuf", utimbuf, modtime),
    MEMBER("utsname", utsname, release),
    MEMBER("winsize", winsize, ws_ypixel),
    MEMBER("epoll_event", epoll_event, events),
    MEMBER("epoll_event", epoll_event, data),
    MEMBER("stat", struct stat, st_ino),
    MEMBER("stat", struct stat, st_nlink),
    MEMBER("stat", struct stat, st_mode),
    MEMBER("stat", struct stat, st_gid),
    MEMBER("stat", struct stat, st_rdev),
    MEMBER("stat", struct stat, st_size),
};
#undef MEMBER
#undef MEMBER_AS

const LayoutField* shown_field(const StructLayout& layout, std::string_view name) {
  for (const LayoutField& field : layout.fields)
    if (field.name == name) return &field;
  return nullptr;
}

// The headers are for this machine's architecture.
TEST(StructLayout, AgreesWithTheHeadersOfTheSystem) {
  const WordTables words;
  const StructLayouts layouts(words, abi::syscall_set(abi::kHostArch) == abi::SyscallSet::Generic);
  for (const HeaderMember& member : kMembers) {
    SCOPED_TRACE(fmt::format("{}.{}", member.layout, member.field));
    const StructLayout* layout = layouts.find(member.layout);
    ASSERT_NE(layout, nullptr);
    EXPECT_LE(layout->size, member.struct_size);
    const LayoutField* field = shown_field(*layout, member.field);
    ASSERT_NE(field, nullptr);
    EXPECT_EQ(field->offset, member.offset);
    EXPECT_EQ(field->size, member.size);
  }
}

// The C library's struct hides this: the kernel's sigaction has its flags second and its mask last.
TEST(StructLayout, KnowsTheSigactionOfTheKernel) {
  const WordTables words;
  const StructLayouts x86(words, false), generic(words, true);
  const StructLayout *with_restorer = x86.find("sigaction"), *without = generic.find("sigaction");
  ASSERT_NE(with_restorer, nullptr);
  ASSERT_NE(without, nullptr);
  EXPECT_EQ(with_restorer->size, 32);
  EXPECT_EQ(shown_field(*with_restorer, "sa_flags")->offset, 8);
  EXPECT_EQ(shown_field(*with_restorer, "sa_mask")->offset, 24);
  EXPECT_EQ(shown_field(*with_restorer, "sa_mask")->kind, FieldKind::SignalSet);
  EXPECT_EQ(without->size, 24);
  EXPECT_EQ(shown_field(*without, "sa_restorer"), nullptr);
}

TEST(StructLayout, FieldsAscendAndFitTheStruct) {
  const WordTables words;
  for (const bool generic : {false, true}) {
    const StructLayouts layouts(words, generic);
    for (const HeaderMember& member : kMembers) {
      const StructLayout& layout = *layouts.find(member.layout);
      unsigned end = 0;
      for (const LayoutField& field : layout.fields) {
        SCOPED_TRACE(fmt::format("{}.{}", layout.name, field.name));
        EXPECT_GE(field.offset, end);
        end = field.offset + field.size;
        EXPECT_LE(end, layout.size);
        const bool is_number = field.size == 1 || field.size == 2 || field.size == 4 || field.size == 8;
        EXPECT_TRUE(is_number || field.kind == FieldKind::Text);
      }
    }
  }
}

TEST(StructLayout, ValuesWithoutAStructHaveNoName) {
  const WordTables words;
  const StructLayouts layouts(words, false);
  const StructLayout* number = layouts.find("int");
  ASSERT_TRUE(number != nullptr && number->fields.size() == 1);
  EXPECT_EQ(number->fields[0].name, "");
  EXPECT_EQ(number->fields[0].kind, FieldKind::Signed);
  EXPECT_EQ(number->size, 4);
  const StructLayout* pair = layouts.find("pair");  // of pipe(2)
  ASSERT_TRUE(pair != nullptr && pair->fields.size() == 2);
  EXPECT_EQ(pair->fields[1].offset, 4);
}

TEST(StructLayout, FieldsOfFlagsHaveTheirTable) {
  const WordTables words;
  const StructLayouts layouts(words, false);
  const LayoutField* flags = shown_field(*layouts.find("open_how"), "flags");
  EXPECT_EQ(flags->words, words.find("open"));
  EXPECT_EQ(flags->size, 8);
  EXPECT_EQ(shown_field(*layouts.find("timespec"), "tv_sec")->words, nullptr);
  EXPECT_EQ(shown_field(*layouts.find("stat"), "st_mode")->kind, FieldKind::Octal);
  EXPECT_EQ(shown_field(*layouts.find("utsname"), "sysname")->kind, FieldKind::Text);
}

TEST(StructLayout, UnknownNamesAreNotFound) {
  const WordTables words;
  const StructLayouts layouts(words, false);
  EXPECT_EQ(layouts.find("timespe"), nullptr);
  EXPECT_EQ(layouts.find(""), nullptr);
}

// The layouts of a running kernel, from its types, replace ours while all pointers stay valid.
TEST(StructLayout, AReplacementStaysWhereItWas) {
  const WordTables words;
  StructLayouts layouts(words, false);
  const StructLayout *time = layouts.find("timespec"), *other = layouts.find("timeval");
  const std::size_t fields = other->fields.size();
  layouts.replace([](const StructLayout& layout) -> std::optional<StructLayout> {
    if (layout.name != "timespec") return std::nullopt;
    return StructLayout{layout.name, 40, {{.name = "only", .offset = 36, .size = 4}}};
  });
  EXPECT_EQ(layouts.find("timespec"), time);
  EXPECT_EQ(time->size, 40);
  ASSERT_EQ(time->fields.size(), 1u);
  EXPECT_EQ(time->fields[0].name, "only");
  EXPECT_EQ(other->fields.size(), fields);
}

}  // namespace
}  // namespace peregrine
