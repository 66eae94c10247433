// Each test enters the sandbox in a separate child process, because it cannot be left again.
#include "sys/sandbox/sandbox.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/capability.h>
#include <linux/fs.h>
#include <linux/prctl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <system_error>
#include <thread>
#include <utility>

#include "base/fd.h"
#include "base/types.h"
#include "support/temporary_folder.h"
#include "sys/process/confinement.h"
#include "sys/root.h"
#include "sys/sandbox/call_filter.h"
#include "sys/sandbox/landlock.h"
#include "sys/sandbox/readable_place.h"

namespace peregrine {
namespace {

namespace fs = std::filesystem;

std::string read_text(const fs::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

// 0 on success, else errno.
int error_of(long result) { return result < 0 ? errno : 0; }
int open_error(const fs::path& path, int flags) {
  const Fd fd(::open(path.c_str(), flags | O_CLOEXEC, 0644));
  return fd ? 0 : errno;
}

class SandboxTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!available_walls().broker) GTEST_SKIP() << "this kernel has no seccomp notifications";
  }

  // Runs `deeds` inside; each returns whether it behaved as expected. Prints the first one that did not.
  struct Deed {
    std::string name;
    std::function<bool()> went_well;
  };
  std::string inside(const SandboxPlan& plan, const std::vector<Deed>& deeds) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return "pipe";
    Fd from(ends[0]), to(ends[1]);
    const pid_t child = ::fork();
    if (child == 0) {
      std::string said;
      {
        const auto sandbox = Sandbox::enter(plan);
        if (!sandbox) said = "cannot enter: " + sandbox.error().message;
        for (const Deed& deed : deeds)
          if (said.empty() && !deed.went_well()) said = deed.name + ": " + std::to_string(errno);
      }
      static_cast<void>(write_all(to.get(), said.data(), said.size()));
      ::_exit(0);
    }
    to.reset();
    const auto said = read_all(from.get(), "child", 1 << 16);
    int status = 0;
    ::waitpid(child, &status, 0);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) return "the child died: " + std::to_string(status);
    return said ? *said : said.error().message;
  }
  // Runs it in a child process; returns whether it returned true there.
  static bool holds_in_child(const std::function<bool()>& truth) {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(truth() ? 0 : 1);
    int status = 1;
    return ::waitpid(child, &status, 0) == child && status == 0;
  }
  std::string in_folder(const char* name) const { return (folder_ / name).string(); }

  const TemporaryFolder temporary_;
  const fs::path folder_ = temporary_.path();
};

TEST_F(SandboxTest, StatusShowsTheWalls) {
  EXPECT_EQ(inside({}, {{"NoNewPrivs",
                         [] { return read_text("/proc/self/status").find("NoNewPrivs:\t1") != std::string::npos; }},
                        {"Seccomp", [] { return confinement(Root()).seccomp == Confinement::Seccomp::Filter; }}}),
            "");
}

TEST_F(SandboxTest, WritesItsOutputsOnly) {
  std::ofstream(in_folder("other")) << "kept";
  EXPECT_EQ(
      inside(
          {.outputs = {in_folder("out.html")}},
          {{"output", [&] { return open_error(folder_ / "out.html", O_WRONLY | O_CREAT | O_TRUNC) == 0; }},
           {"sibling", [&] { return open_error(folder_ / "out.html.tmp", O_RDWR | O_CREAT | O_EXCL) == 0; }},
           {"rename", [&] { return ::rename(in_folder("out.html.tmp").c_str(), in_folder("out.html").c_str()) == 0; }},
           {"truncate", [&] { return open_error(folder_ / "other", O_WRONLY | O_TRUNC) == EACCES; }},
           {"new file", [&] { return open_error(folder_ / "new", O_WRONLY | O_CREAT) == EACCES; }},
           {"longer name", [&] { return open_error(folder_ / "out.htmlx", O_WRONLY | O_CREAT) == EACCES; }},
           {"remove", [&] { return error_of(::unlink(in_folder("other").c_str())) == EACCES; }},
           {"folder", [&] { return error_of(::mkdir(in_folder("sub").c_str(), 0700)) == EACCES; }},
           {"rename over",
            [&] { return error_of(::rename(in_folder("out.html").c_str(), in_folder("other").c_str())) == EACCES; }}}),
      "");
  EXPECT_EQ(read_text(folder_ / "other"), "kept");
  EXPECT_TRUE(fs::exists(folder_ / "out.html"));
}

TEST_F(SandboxTest, WritesBeneathAFolderThatIsAnOutput) {
  EXPECT_EQ(inside({.outputs = {in_folder("a/trace")}},
                   {{"way", [&] { return ::mkdir(in_folder("a").c_str(), 0700) == 0; }},
                    {"folder", [&] { return ::mkdir(in_folder("a/trace").c_str(), 0700) == 0; }},
                    {"file", [&] { return open_error(folder_ / "a/trace/stream", O_WRONLY | O_CREAT) == 0; }},
                    {"beside", [&] { return open_error(folder_ / "a/other", O_WRONLY | O_CREAT) == EACCES; }},
                    {"up", [&] { return open_error(folder_ / "a/trace/../other", O_WRONLY | O_CREAT) == EACCES; }},
                    {"all",
                     [&] {
                       std::error_code error;
                       fs::remove_all(folder_ / "a/trace", error);
                       return !error && !fs::exists(folder_ / "a/trace");
                     }}}),
            "");
}

TEST_F(SandboxTest, FollowsNoLinkThatStrangersPutThere) {
  fs::create_directory(folder_ / "secret");
  fs::create_symlink(folder_ / "secret", folder_ / "private.evil");
  fs::create_symlink(folder_ / "secret/file", folder_ / "private.link");
  EXPECT_EQ(inside({.outputs = {in_folder("private")}},
                   {{"folder", [&] { return open_error(folder_ / "private.evil/x", O_WRONLY | O_CREAT) == EACCES; }},
                    {"file", [&] { return open_error(folder_ / "private.link", O_WRONLY | O_CREAT) == ELOOP; }}}),
            "");
  EXPECT_TRUE(fs::is_empty(folder_ / "secret"));
}

TEST_F(SandboxTest, FollowsNoLinkThatWasMovedToAnOutput) {
  fs::create_directory(folder_ / "own");
  std::ofstream(folder_ / "victim") << "kept";
  fs::create_symlink(folder_ / "victim", folder_ / "own/link");
  const std::string link = in_folder("own/link"), out = in_folder("out");
  EXPECT_EQ(inside({.outputs = {in_folder("own"), out}},
                   {{"rename", [&] { return ::rename(link.c_str(), out.c_str()) != 0; }},
                    {"open", [&] { return open_error(link, O_WRONLY | O_TRUNC) == ELOOP; }}}),
            "");
  EXPECT_EQ(fs::file_size(folder_ / "victim"), 4u);
}

TEST_F(SandboxTest, DeniesWhatReachesBeyondFiles) {
  std::ofstream(folder_ / "file") << "text";
  const Fd file(::open(in_folder("file").c_str(), O_RDONLY | O_CLOEXEC));
  const auto denied = [](long result) { return result < 0 && errno == EPERM; };
  EXPECT_EQ(inside({}, {{"sockets",
                         [&] {
                           int ends[2];
                           return denied(::socketpair(AF_UNIX, SOCK_DGRAM, 0, ends));
                         }},
                        {"times",
                         [&] {  // an address with a low half of zero, among those that every sanitiser leaves free
                           // NOLINTNEXTLINE(performance-no-int-to-ptr)
                           void* const place = reinterpret_cast<void*>(u64{0x7e8100000000});
                           void* const at = ::mmap(place, 4096, PROT_READ | PROT_WRITE,
                                                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
                           std::strcpy(static_cast<char*>(at), "file");
                           return denied(::utimensat(AT_FDCWD, static_cast<const char*>(at), nullptr, 0));
                         }},
                        {"attributes",
                         [&] {
                           int flags = 0;
                           return denied(::ioctl(file.get(), FS_IOC_SETFLAGS, &flags));
                         }},
                        {"owner", [&] { return denied(::fcntl(file.get(), F_SETOWN, 1)); }},
                        {"terminal",
                         [&] {
                           struct termios mode{};
                           return ::tcgetattr(file.get(), &mode) != 0 && errno == ENOTTY;
                         }}}),
            "");
}

bool has_no_new_privileges() { return ::prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1; }

// The restrictions apply per thread: another thread would stay outside.
TEST_F(SandboxTest, RefusesAProcessOfManyThreads) {
  const auto threads = std::distance(std::filesystem::directory_iterator("/proc/self/task"), {});
  if (threads > 1) GTEST_SKIP() << "the sanitizer runs a thread of its own, which the sandbox allows for";
  EXPECT_TRUE(holds_in_child([] {
    std::atomic<bool> done = false;
    std::thread other([&] { done.wait(false); });
    const auto sandbox = Sandbox::enter({});
    done = true;
    done.notify_all();
    other.join();
    return !sandbox && sandbox.error().kind == ErrorKind::Unsupported && !has_no_new_privileges();
  }));
}

TEST_F(SandboxTest, TellsThatItIsHalfConfined) {
  if (landlock_version() == 0) GTEST_SKIP() << "this kernel has no Landlock";
  EXPECT_TRUE(holds_in_child([] {
    ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    // The kernel allows 16 layers.
    for (unsigned layer = 0; layer < 16; ++layer) {
      Landlock rules;
      rules.allow("/", ~u64{0});
      if (!rules.enforce()) return false;
    }
    const auto sandbox = Sandbox::enter({});
    return !sandbox && sandbox.error().kind == ErrorKind::System;
  }));
}

// The requirements for opening /proc/kcore, which not every kernel has.
bool may_read_kernel_memory() {
  const std::string status = read_text("/proc/self/status");
  const std::size_t at = status.find("CapEff:\t");
  return at != std::string::npos && (std::stoull(status.substr(at + 8), nullptr, 16) >> CAP_SYS_RAWIO & 1) != 0;
}

TEST_F(SandboxTest, ReadsKernelMemoryOnlyWhereThatIsWanted) {
  if (!may_read_kernel_memory()) GTEST_SKIP() << "without CAP_SYS_RAWIO";
  EXPECT_EQ(inside({}, {{"kcore", [] { return !may_read_kernel_memory(); }}}), "");
  EXPECT_EQ(inside({.kernel_memory = true}, {{"kcore", [] { return may_read_kernel_memory(); }}}), "");
}

TEST_F(SandboxTest, LinksOutputsToEachOtherOnly) {
  const std::string cache = in_folder("cache");
  fs::create_directories(cache + "/a");
  const auto link = [&](const char* target, const std::string& name) {
    return error_of(::symlink(target, (cache + name).c_str()));
  };
  EXPECT_EQ(inside({.outputs = {cache}}, {{"not wanted", [&] { return link("a", "/b") == EPERM; }}}), "");
  EXPECT_EQ(inside({.outputs = {cache}, .links = true},
                   {{"inside", [&] { return link("../a", "/a/b") == 0; }},
                    {"absolute", [&] { return link("/etc", "/c") == EACCES; }},
                    {"up", [&] { return link("../../x", "/a/d") == EACCES; }},
                    {"elsewhere", [&] { return error_of(::symlink("a", in_folder("e").c_str())) == EACCES; }}}),
            "");
  EXPECT_EQ(fs::read_symlink(cache + "/a/b"), "../a");
}

// Without /proc, the location of a descriptor is unknown. Landlock then allows the folder of each output.
TEST_F(SandboxTest, WritesItsOutputsWithoutProc) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root to unmount /proc";
  if (landlock_version() == 0) GTEST_SKIP() << "this kernel has no Landlock";
  fs::create_directory(folder_ / "own");
  EXPECT_TRUE(holds_in_child([&] {
    if (::unshare(CLONE_NEWNS) != 0 || ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return false;
    while (::umount2("/proc", MNT_DETACH) == 0) {
    }
    const auto sandbox = Sandbox::enter({.outputs = {in_folder("own/out")}});
    return sandbox && !sandbox->walls().broker && open_error(folder_ / "own/out", O_WRONLY | O_CREAT) == 0 &&
           open_error(folder_ / "new", O_WRONLY | O_CREAT) == EACCES && open_error("/etc/shadow", O_RDONLY) == EACCES;
  }));
}

// As with Yama's ptrace_scope 2. A process that is not dumpable is also inaccessible to everybody but root.
TEST_F(SandboxTest, WritesItsOutputsWhereNobodyMayReadItsMemory) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root to become another user";
  if (landlock_version() == 0) GTEST_SKIP() << "this kernel has no Landlock";
  fs::create_directory(folder_ / "own");
  for (const fs::path& place : {folder_, folder_ / "own"}) ASSERT_EQ(::chown(place.c_str(), 65534, 65534), 0);
  EXPECT_TRUE(holds_in_child([&] {
    if (::setresuid(65534, 65534, 65534) != 0 || ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0) return false;
    const auto sandbox = Sandbox::enter({.outputs = {in_folder("own/out")}});
    return sandbox && !sandbox->walls().broker && open_error(folder_ / "own/out", O_WRONLY | O_CREAT) == 0 &&
           open_error(folder_ / "new", O_WRONLY | O_CREAT) == EACCES;
  }));
}

TEST_F(SandboxTest, LeavesNoBrokerBehind) {
  const pid_t child = ::fork();
  if (child == 0) {
    {
      static_cast<void>(Sandbox::enter({}));
    }
    ::_exit(::waitpid(-1, nullptr, WNOHANG) < 0 && errno == ECHILD ? 0 : 1);  // already reaped
  }
  int status = 1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST_F(SandboxTest, FollowsTheLinkThatTheUserNamed) {
  fs::create_symlink(folder_ / "real", folder_ / "link");
  EXPECT_EQ(inside({.outputs = {in_folder("link")}},
                   {{"link", [&] { return open_error(folder_ / "link", O_WRONLY | O_CREAT) == 0; }}}),
            "");
  EXPECT_TRUE(fs::exists(folder_ / "real"));
}

// Also if the kernel would follow it (fs.protected_symlinks = 0).
TEST_F(SandboxTest, FollowsNoLinkOfAnotherUser) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a link away";
  fs::create_symlink(folder_ / "victim", folder_ / "link");
  ASSERT_EQ(::lchown(in_folder("link").c_str(), 12345, 12345), 0);
  EXPECT_EQ(inside({.outputs = {in_folder("link")}},
                   {{"link", [&] { return open_error(folder_ / "link", O_WRONLY | O_CREAT) == ELOOP; }},
                    {"target", [&] { return open_error(folder_ / "victim", O_WRONLY | O_CREAT) == EACCES; }}}),
            "");
  EXPECT_FALSE(fs::exists(folder_ / "victim"));
}

TEST_F(SandboxTest, SaysThatALinkIsThereToThoseWhoCreate) {
  fs::create_symlink(folder_ / "real", folder_ / "link");
  EXPECT_EQ(
      inside({.outputs = {in_folder("link")}},
             {{"exclusive", [&] { return open_error(folder_ / "link", O_WRONLY | O_CREAT | O_EXCL) == EEXIST; }},
              {"no follow", [&] { return open_error(folder_ / "link", O_WRONLY | O_CREAT | O_NOFOLLOW) == ELOOP; }}}),
      "");
  EXPECT_FALSE(fs::exists(folder_ / "real"));
}

TEST_F(SandboxTest, MatchesPatternsOfNames) {
  const OutputGrants grants({in_folder("out.*.svg"), "**/jitted-*.so", in_folder("tmp*"), in_folder("page.html")});
  EXPECT_TRUE(grants.covers(in_folder("tmp-x/a/b")));
  EXPECT_FALSE(grants.covers(in_folder("x/tmp-x")));
  EXPECT_TRUE(grants.covers(in_folder(".page.html.77.new")));
  EXPECT_FALSE(grants.covers(in_folder(".page.html.77/new")));
  EXPECT_FALSE(grants.covers(in_folder(".page")));
  EXPECT_TRUE(grants.covers(in_folder("out.cycles.svg")));
  EXPECT_FALSE(grants.covers(in_folder("out.svg.x")));
  EXPECT_FALSE(grants.covers(in_folder("out.c")));
  EXPECT_FALSE(grants.covers(in_folder("sub/out.cycles.svg")));
  EXPECT_TRUE(grants.covers("/anywhere/jitted-1-2.so"));
  EXPECT_FALSE(grants.covers("/anywhere/jitted-1-2.sh"));
  EXPECT_TRUE(grants.covers("/anywhere/.jitted-1-2.so.77"));
  EXPECT_FALSE(grants.covers("/anywhere/.jitted-1-2.sh.77"));
  EXPECT_FALSE(grants.covers("/anywhere/jitted-1/x.so.so/y"));
}

TEST_F(SandboxTest, RelativePathsAreThoseOfTheReader) {
  EXPECT_EQ(inside({.outputs = {in_folder("out")}},
                   {{"chdir", [&] { return ::chdir(folder_.c_str()) == 0; }},
                    {"output", [] { return open_error("out", O_WRONLY | O_CREAT) == 0; }},
                    {"other", [] { return open_error("other", O_WRONLY | O_CREAT) == EACCES; }}}),
            "");
  EXPECT_TRUE(fs::exists(folder_ / "out"));
}

TEST_F(SandboxTest, ManyThreadsWriteAtOnce) {
  EXPECT_EQ(inside({.outputs = {in_folder("out")}}, {{"threads",
                                                      [&] {
                                                        std::atomic<int> made = 0;
                                                        std::vector<std::thread> threads;
                                                        for (int t = 0; t < 4; ++t)
                                                          threads.emplace_back([&, t] {
                                                            for (int i = 0; i < 50; ++i) {
                                                              const std::string name =
                                                                  in_folder("out.") + std::to_string(t * 1000 + i);
                                                              if (open_error(name, O_WRONLY | O_CREAT | O_EXCL) == 0)
                                                                ++made;
                                                              if (open_error(name + "x/", O_WRONLY) == 0) made = -1000;
                                                            }
                                                          });
                                                        for (std::thread& thread : threads) thread.join();
                                                        return made == 200;
                                                      }}}),
            "");
}

TEST_F(SandboxTest, OpensNoSocket) {
  for (const int family : {AF_INET, AF_INET6, AF_UNIX, AF_NETLINK, AF_PACKET})
    EXPECT_EQ(inside({}, {{"socket", [&] { return error_of(::socket(family, SOCK_DGRAM, 0)) == EPERM; }}}), "")
        << family;
  EXPECT_EQ(inside({.network = true}, {{"internet", [] { return ::socket(AF_INET, SOCK_STREAM, 0) >= 0; }},
                                       {"unix", [] { return error_of(::socket(AF_UNIX, SOCK_STREAM, 0)) == EPERM; }}}),
            "");
}

TEST_F(SandboxTest, StartsNoProgram) {
  const auto run = [] {
    const pid_t child = ::fork();
    if (child == 0) {
      ::execl("/bin/true", "true", nullptr);
      ::_exit(errno);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return WEXITSTATUS(status);
  };
  EXPECT_EQ(inside({}, {{"exec", [&] { return run() == EPERM; }}}), "");
  EXPECT_EQ(inside({.programs = {"/bin/true"}}, {{"named", [&] { return run() == 0; }}}), "");
  if (landlock_version() == 0) GTEST_SKIP() << "without Landlock it is any program or none";
  EXPECT_EQ(inside({.programs = {"/bin/false"}}, {{"other", [&] { return run() == EACCES; }}}), "");
}

TEST_F(SandboxTest, ProgramsThatItStartsAreInside) {
  const std::string to = in_folder("made");
  EXPECT_EQ(inside({.programs = {fs::canonical("/bin/sh")}},
                   {{"shell",
                     [&] {
                       const pid_t child = ::fork();
                       if (child == 0) {
                         ::execl("/bin/sh", "sh", "-c", (": > " + to).c_str(), nullptr);
                         ::_exit(99);
                       }
                       int status = 0;
                       ::waitpid(child, &status, 0);
                       return WIFEXITED(status) && WEXITSTATUS(status) != 0 && WEXITSTATUS(status) != 99;
                     }}}),
            "");
  EXPECT_FALSE(fs::exists(to));
}

TEST_F(SandboxTest, LeavesOtherProcessesAlone) {
  const pid_t other = ::getpid();
  EXPECT_EQ(inside({}, {{"memory", [&] { return open_error("/proc/" + std::to_string(other) + "/mem", O_RDWR) != 0; }},
                        {"signal", [&] { return error_of(::kill(other, SIGCONT)) == EPERM; }},
                        {"own signal", [] { return ::kill(::getpid(), 0) == 0; }},
                        {"terminal",
                         [] {
                           char typed = 'x';
                           return error_of(::ioctl(0, TIOCSTI, &typed)) == EPERM;
                         }}}),
            "");
}

TEST_F(SandboxTest, ChangesNoModes) {
  std::ofstream(in_folder("other")) << "x";
  EXPECT_EQ(inside({.outputs = {in_folder("out")}},
                   {{"path", [&] { return error_of(::chmod(in_folder("other").c_str(), 0777)) == EPERM; }},
                    {"descriptor",
                     [&] {
                       const Fd fd(::open(in_folder("other").c_str(), O_RDONLY));
                       return fd && error_of(::fchmod(fd.get(), 04755)) == EPERM;
                     }},
                    {"output",
                     [&] {
                       const Fd fd(::open(in_folder("out").c_str(), O_WRONLY | O_CREAT, 0600));
                       return fd && ::fchmod(fd.get(), 0640) == 0;
                     }},
                    {"set-user-id",
                     [&] {
                       const Fd fd(::open(in_folder("out").c_str(), O_WRONLY));
                       return fd && error_of(::fchmod(fd.get(), 04755)) == EPERM;
                     }}}),
            "");
  EXPECT_EQ(fs::status(folder_ / "out").permissions(), fs::perms(0640));
}

TEST_F(SandboxTest, ReadsBinariesButNoSecrets) {
  if (landlock_version() == 0) GTEST_SKIP() << "this kernel has no Landlock";
  const fs::path home = folder_ / "home";
  fs::create_directories(home / ".ssh");
  fs::create_directories(home / ".hidden");
  for (const char* name : {".ssh/key", ".hidden/app", "app"}) std::ofstream(home / name) << "x";
  // A home below /tmp, which is entirely readable, cannot be distinguished.
  EXPECT_EQ(inside({}, {{"libc", [] { return open_error("/proc/self/exe", O_RDONLY) == 0; }},
                        {"folder", [] { return open_error("/usr/bin", O_RDONLY | O_DIRECTORY) == 0; }},
                        {"passwords", [] { return open_error("/etc/shadow", O_RDONLY) != 0; }},
                        {"raw memory", [] { return open_error("/dev/mem", O_RDONLY) != 0; }}}),
            "");
  EXPECT_EQ(inside({.home = home}, {{"app", [&] { return open_error(home / "app", O_RDONLY) == 0; }},
                                    {"hidden", [&] { return open_error(home / ".hidden/app", O_RDONLY) == 0; }},
                                    {"key", [&] { return open_error(home / ".ssh/key", O_RDONLY) == EACCES; }}}),
            "");
  EXPECT_EQ(inside({.readable = {home / ".ssh/key"}, .home = home},
                   {{"named", [&] { return open_error(home / ".ssh/key", O_RDONLY) == 0; }}}),
            "");
}

TEST_F(SandboxTest, FoldersThatTheMachineFailsToReadStayHidden) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit none{.rlim_cur = 0, .rlim_max = before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  ReadFailures failures;
  std::vector<std::string> allowed;
  for_each_readable_place(Root(), "", failures, [&](std::string place) { allowed.push_back(std::move(place)); });
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_EQ(failures.list(), (std::vector<ReadFailure>{{"/", EMFILE}, {"/home", EMFILE}}));
  EXPECT_EQ(std::ranges::count(allowed, "/usr"), 0);
}

// The broker of a killed reader becomes a child of this process, which sees it end.
TEST_F(SandboxTest, BrokerEndsWithAReaderThatIsKilled) {
  ASSERT_EQ(::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0), 0);
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  const Fd from(ends[0]);
  Fd to(ends[1]);
  const pid_t reader = ::fork();
  if (reader == 0) {
    const auto sandbox = Sandbox::enter({});
    const char answer = sandbox && open_error("/nowhere", O_WRONLY) != 0 ? 'y' : 'n';  // the broker answers
    static_cast<void>(::write(to.get(), &answer, 1));
    ::pause();
    ::_exit(0);
  }
  to.reset();
  char answer = 0;
  ASSERT_EQ(::read(from.get(), &answer, 1), 1);
  EXPECT_EQ(answer, 'y');
  ::kill(reader, SIGKILL);
  EXPECT_EQ(::read(from.get(), &answer, 1), 0) << "the broker held a pipe of the caller";
  int ended = 0;
  ::alarm(20);  // a broker that does not end is reported as a failure instead of a hang
  while (::waitpid(-1, nullptr, 0) > 0) ++ended;
  ::alarm(0);
  EXPECT_EQ(ended, 2);
}

// As when a process that outlives the reader removes the folder of an unpacked archive.
TEST_F(SandboxTest, BrokerServesChildrenThatOutliveTheReader) {
  ASSERT_EQ(::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0), 0);
  const pid_t reader = ::fork();
  if (reader == 0) {
    const auto sandbox = Sandbox::enter({.outputs = {in_folder("out")}});
    const pid_t parent = ::getpid();
    if (::fork() == 0) {
      while (::getppid() == parent) ::usleep(1000);
      static_cast<void>(open_error(folder_ / "out", O_WRONLY | O_CREAT));
      ::_exit(0);
    }
    ::raise(SIGKILL);
  }
  while (::waitpid(-1, nullptr, 0) > 0) {
  }
  EXPECT_TRUE(fs::exists(folder_ / "out"));
}

TEST(CallFilterTest, IsShortEnoughForTheKernel) {
  const auto filter = call_filter({});
  EXPECT_LT(filter.size(), 4096u);
}

}  // namespace
}  // namespace peregrine
