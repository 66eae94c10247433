// `session` with a daemon that does not answer.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <chrono>
#include <cstring>
#include <filesystem>
#include <string>
#include <thread>

#include "base/fd.h"
#include "cmd/command_table.h"
#include "support/called_command.h"
#include "support/temporary_folder.h"

namespace peregrine::cmd {
namespace {

using ::testing::ContainsRegex;

// One started session, and a daemon that refuses connections: connect(2) fails with EPROTOTYPE, unlike without a
// daemon.
class SilentDaemon : public ::testing::Test {
 protected:
  SilentDaemon() {
    base_.write("sessions.conf", "[session-a]\nrecord = --switch-output -a\nrun = --switch-output -a\n");
    std::filesystem::create_directory(base_.path("session-a"));
    base_.write("session-a/perf.data", "PERFILE2" + std::string(96, '\0'));
    const Fd folder = base_.open();
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string path = fmt::format("/proc/self/fd/{}/control", folder.get());
    std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
    EXPECT_EQ(::bind(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  }
  void end_daemon() const { std::filesystem::remove(base_.path("control")); }

  const TemporaryFolder base_;
  const Fd socket_{::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
};

TEST_F(SilentDaemon, KeepsItsSessions) {
  EXPECT_THAT(called(kSession, {"list", "--base", base_.path()}).printed, ContainsRegex("\na +started +0 "));
  EXPECT_EQ(misuse_of(kSession, {"start", "--base", base_.path()}), "session 'a' is already started");
  end_daemon();
  EXPECT_THAT(called(kSession, {"list", "--base", base_.path()}).printed, ContainsRegex("\na +ended +1 "));
}

TEST_F(SilentDaemon, WritesItsFileUntilItEnds) {
  bool had_file = false;
  std::thread end([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    had_file = base_.has("session-a/perf.data");
    end_daemon();
  });
  const Called stopped = called(kSession, {"stop", "--base", base_.path()});
  end.join();
  EXPECT_TRUE(had_file) << "stop renamed the file of a running record";
  EXPECT_EQ(stopped.printed, "Recording stopped for session a: 1 file\n") << stopped.error.message;
  EXPECT_FALSE(base_.has("session-a/perf.data"));
}

}  // namespace
}  // namespace peregrine::cmd
