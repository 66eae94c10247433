#include "symbol/lookup/debug_server.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <thread>

#include "base/fd.h"
#include "support/temporary_folder.h"

namespace peregrine {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

// A server that answers every request with zeros: endlessly, a few from time to time, a few and then nothing, or
// nothing at all.
class ZeroServer {
 public:
  enum class Manner { Endless, Slow, Stalling, Silent };

  explicit ZeroServer(Manner manner) : manner_(manner), listening_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const generic = reinterpret_cast<sockaddr*>(&address);
    if (::bind(listening_.get(), generic, size) != 0 || ::listen(listening_.get(), 5) != 0 ||
        ::getsockname(listening_.get(), generic, &size) != 0)
      return;
    url_ = fmt::format("http://127.0.0.1:{}/", ntohs(address.sin_port));
    thread_ = std::jthread([this] { serve(); });
  }
  ~ZeroServer() {
    stop_ = true;
    ::shutdown(listening_.get(), SHUT_RDWR);
  }
  const std::string& url() const { return url_; }

 private:
  void serve() const {
    while (!stop_) {
      const Fd client(::accept4(listening_.get(), nullptr, nullptr, SOCK_CLOEXEC));
      if (!client) return;
      char question[4096];
      if (::recv(client.get(), question, sizeof question, 0) <= 0) continue;
      answer(client);
    }
  }
  void answer(const Fd& client) const {
    const std::string head = "HTTP/1.0 200 OK\r\nContent-Type: application/octet-stream\r\n\r\n";
    if (manner_ != Manner::Silent && ::send(client.get(), head.data(), head.size(), MSG_NOSIGNAL) < 0) return;
    const std::string zeroes(manner_ == Manner::Endless ? 65536 : 100, '\0');
    const timeval wait{0, 20'000};
    ::setsockopt(client.get(), SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof wait);
    for (char byte = 0, sent = 0; !stop_;) {
      const bool sends = manner_ != Manner::Silent && (manner_ != Manner::Stalling || sent++ == 0);
      if (sends && ::send(client.get(), zeroes.data(), zeroes.size(), MSG_NOSIGNAL) < 0) return;
      if (manner_ != Manner::Endless && ::recv(client.get(), &byte, 1, 0) == 0) return;
    }
  }

  Manner manner_;
  Fd listening_;
  std::string url_;
  std::atomic<bool> stop_ = false;
  std::jthread thread_;
};

class DebugServerTest : public ::testing::Test {
 protected:
  DebugServerTest() { ::setenv("DEBUGINFOD_CACHE_PATH", folder_.c_str(), 1); }

  Result<std::unique_ptr<DebugServer>> open(const ZeroServer& server, TransferLimits limits) const {
    return DebugServer::open({.urls = server.url(), .folder = folder_, .progress = {}, .limits = limits});
  }
  // Non-empty files; the library creates empty ones to remember what it could not get.
  std::size_t files() const {
    std::size_t count = 0;
    for (const auto& entry : fs::recursive_directory_iterator(folder_ + "/" + id_.hex()))
      count += entry.is_regular_file() && entry.file_size() > 0 ? 1 : 0;
    return count;
  }

  const TemporaryFolder temporary_;
  const std::string folder_ = temporary_.path("cache");
  BuildId id_ = *BuildId::parse("00112233445566778899aabbccddeeff00112233");
};

TEST_F(DebugServerTest, StopsAFileThatIsTooLarge) {
  const ZeroServer server(ZeroServer::Manner::Endless);
  auto asked = open(server, {.bytes = 1'000'000});
  if (!asked) GTEST_SKIP() << asked.error().message;
  const auto fetched = (*asked)->fetch(id_, ServerFile::DebugInfo);
  ASSERT_FALSE(fetched);
  EXPECT_EQ(fetched.error().message, "debuginfod: " + id_.hex() + ": larger than 1000000 bytes");
  EXPECT_EQ(files(), 0u);
  // The next file may be smaller.
  EXPECT_EQ((*asked)->fetch(id_, ServerFile::Executable).error().kind, ErrorKind::Unsupported);
  struct stat status{};
  ASSERT_EQ(::stat(folder_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700u);
}

TEST_F(DebugServerTest, StopsATransferThatTakesTooLong) {
  const ZeroServer server(ZeroServer::Manner::Slow);
  auto asked = open(server, {.transfer = milliseconds(300)});
  if (!asked) GTEST_SKIP() << asked.error().message;
  const auto fetched = (*asked)->fetch(id_, ServerFile::DebugInfo);
  ASSERT_FALSE(fetched);
  EXPECT_EQ(fetched.error().message, "debuginfod: " + id_.hex() + ": timed out after 1 s");
  EXPECT_EQ(files(), 0u);
  // No server is asked again.
  EXPECT_EQ((*asked)->fetch(id_, ServerFile::Executable).error().message, fetched.error().message);
}

TEST_F(DebugServerTest, StopsWaitingForASilentServer) {
  const ZeroServer server(ZeroServer::Manner::Silent);
  ::setenv("DEBUGINFOD_TIMEOUT", "1", 1);
  auto asked = open(server, {});
  if (!asked) GTEST_SKIP() << asked.error().message;
  EXPECT_FALSE((*asked)->fetch(id_, ServerFile::DebugInfo));
  ::unsetenv("DEBUGINFOD_TIMEOUT");
}

TEST_F(DebugServerTest, StopsATransferThatStalls) {
  const ZeroServer server(ZeroServer::Manner::Stalling);
  auto asked = open(server, {.idle = milliseconds(300)});
  if (!asked) GTEST_SKIP() << asked.error().message;
  const auto fetched = (*asked)->fetch(id_, ServerFile::DebugInfo);
  ASSERT_FALSE(fetched);
  EXPECT_EQ(fetched.error().message, "debuginfod: " + id_.hex() + ": no response for 1 s");
}

TEST_F(DebugServerTest, LimitsTheTimeOfAllTransfers) {
  const ZeroServer server(ZeroServer::Manner::Slow);
  auto asked = open(server, {.total = milliseconds(300)});
  if (!asked) GTEST_SKIP() << asked.error().message;
  const auto fetched = (*asked)->fetch(id_, ServerFile::DebugInfo);
  ASSERT_FALSE(fetched);
  EXPECT_EQ(fetched.error().message, "debuginfod: " + id_.hex() + ": total transfer time exceeds 1 s");
}

TEST_F(DebugServerTest, RemovesWhatAKilledProcessLeft) {
  const ZeroServer server(ZeroServer::Manner::Endless);
  auto asked = open(server, {.bytes = 1'000});
  if (!asked) GTEST_SKIP() << asked.error().message;
  const std::string folder = folder_ + "/" + id_.hex();
  fs::create_directories(folder);
  for (const char* name : {"debuginfo.abcdef", "executable.abcdef", "debuginfo.young1", "source.abcdef"})
    std::ofstream(folder + "/" + name) << "half";
  for (const char* name : {"debuginfo.abcdef", "executable.abcdef", "source.abcdef"})
    fs::last_write_time(folder + "/" + name, fs::file_time_type::clock::now() - std::chrono::hours(2));
  EXPECT_FALSE((*asked)->fetch(id_, ServerFile::DebugInfo));
  EXPECT_FALSE(fs::exists(folder + "/debuginfo.abcdef"));
  EXPECT_FALSE(fs::exists(folder + "/executable.abcdef"));
  EXPECT_TRUE(fs::exists(folder + "/debuginfo.young1"));  // its transfer may still be in progress
  EXPECT_TRUE(fs::exists(folder + "/source.abcdef"));
}

}  // namespace
}  // namespace peregrine
