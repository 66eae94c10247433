#include "symbol/lookup/debug_server.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <expected>
#include <string_view>
#include <utility>

#include "base/file/folder_entries.h"
#include "base/file/make_folders.h"
#include "base/types.h"

namespace peregrine {
namespace {

constexpr const char* kLibrary = "libdebuginfod.so.1";
// The library aborts a transfer of less than 100 kB in this many seconds; its default is 90.
constexpr const char* kTimeout = "20";
constexpr std::array kEnding = {SIGINT, SIGTERM, SIGHUP};

i64 seconds(std::chrono::milliseconds time) { return std::chrono::ceil<std::chrono::seconds>(time).count(); }

// Once a transfer has begun, the signals that would end us are held until the library has removed its partial file.
// Before that, the library may wait for an answer without calling us, so the signals end us immediately.
class HeldSignals {
 public:
  HeldSignals() { ::pthread_sigmask(SIG_BLOCK, nullptr, &before_); }
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;
  ~HeldSignals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

  static void hold() {
    sigset_t ending;
    ::sigemptyset(&ending);
    for (const int number : kEnding) ::sigaddset(&ending, number);
    ::pthread_sigmask(SIG_BLOCK, &ending, nullptr);
  }

 private:
  sigset_t before_;
};

}  // namespace

// The functions of libdebuginfod in use; their ABI is stable since elfutils 0.179.
struct DebugServer::Library {
  using Client = void;
  using Find = int (*)(Client*, const unsigned char*, int, char**);
  using ProgressFunction = int (*)(Client*, long, long);

  ~Library() {
    if (client != nullptr) end(client);
    if (handle != nullptr) ::dlclose(handle);
  }
  template <class Function>
  bool find(const char* name, Function& function) const {
    function = reinterpret_cast<Function>(::dlsym(handle, name));
    return function != nullptr;
  }
  bool load() {
    handle = ::dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);  // libcurl keeps global state
    Client* (*begin)() = nullptr;
    if (handle == nullptr || !find("debuginfod_begin", begin) || !find("debuginfod_end", end) ||
        !find("debuginfod_find_debuginfo", find_debuginfo) || !find("debuginfod_find_executable", find_executable) ||
        !find("debuginfod_set_progressfn", set_progress) || !find("debuginfod_set_user_data", set_user_data) ||
        ::dlsym(handle, "debuginfod_get_user_data") == nullptr)
      return false;
    client = begin();
    return client != nullptr;
  }

  void* handle = nullptr;
  Client* client = nullptr;
  void (*end)(Client*) = nullptr;
  Find find_debuginfo = nullptr, find_executable = nullptr;
  void (*set_progress)(Client*, ProgressFunction) = nullptr;
  void (*set_user_data)(Client*, void*) = nullptr;
};

// The callback only gets the client. The server is found through the library, which is loaded by now.
int DebugServer::on_progress(void* client, long done, long total) {
  const std::unique_ptr<void, int (*)(void*)> handle(::dlopen(kLibrary, RTLD_LAZY | RTLD_NOLOAD), &::dlclose);
  if (handle == nullptr) return 0;
  const auto get_user_data = reinterpret_cast<void* (*)(void*)>(::dlsym(handle.get(), "debuginfod_get_user_data"));
  auto* server = static_cast<DebugServer*>(get_user_data(client));
  const auto positive = [](long value) { return value > 0 ? static_cast<u64>(value) : 0; };
  return server->goes_on(positive(done), positive(total)) ? 0 : 1;
}

bool DebugServer::goes_on(u64 done, u64 total) {
  const TransferLimits& limits = setup_.limits;
  const Clock::time_point now = Clock::now();
  HeldSignals::hold();
  if (done != done_) moved_ = now;
  done_ = done;
  const auto stop = [&](ErrorKind kind, std::string why) {
    stopped_ = {kind, fmt::format("debuginfod: {}: {}", current_.hex(), why)};
    return false;
  };
  if (std::max(done, total) > limits.bytes)
    return stop(ErrorKind::Unsupported, fmt::format("larger than {} bytes", limits.bytes));
  if (now - moved_ > limits.idle)
    return stop(ErrorKind::System, fmt::format("no response for {} s", seconds(limits.idle)));
  if (now - begun_ > limits.transfer)
    return stop(ErrorKind::System, fmt::format("timed out after {} s", seconds(limits.transfer)));
  if (spent_ + (now - begun_) > limits.total)
    return stop(ErrorKind::System, fmt::format("total transfer time exceeds {} s", seconds(limits.total)));
  sigset_t waiting;
  const bool interrupted = ::sigpending(&waiting) == 0 && std::ranges::any_of(kEnding, [&](int number) {
                             return ::sigismember(&waiting, number) == 1;
                           });
  if (interrupted) return stop(ErrorKind::System, "interrupted");
  return !setup_.progress || setup_.progress(current_, done, total) || stop(ErrorKind::System, "transfer interrupted");
}

Result<std::unique_ptr<DebugServer>> DebugServer::open(Setup setup) {
  if (setup.urls.find_first_not_of(" \t") == std::string::npos) {
    return std::unexpected(Error{ErrorKind::Usage, "--debuginfod: missing server URL"}.with_hint(
        "use --debuginfod=https://debuginfod.elfutils.org/, or set DEBUGINFOD_URLS"));
  }
  // The library takes its settings only from the environment.
  ::setenv("DEBUGINFOD_URLS", setup.urls.c_str(), 1);
  ::setenv("DEBUGINFOD_TIMEOUT", kTimeout, 0);
  ::setenv("DEBUGINFOD_RETRY_LIMIT", "0", 0);  // retries after a time-out
  std::unique_ptr<DebugServer> server(new DebugServer(std::move(setup)));
  server->library_ = std::make_unique<Library>();
  if (!server->library_->load()) {
    return std::unexpected(
        Error{ErrorKind::Unsupported, fmt::format("--debuginfod: cannot load {}", kLibrary)}.with_hint(
            "install it: apt install libdebuginfod1"));
  }
  // The library would create the folder readable for everyone.
  if (!server->setup_.folder.empty()) (void)make_folders(server->setup_.folder, 0700);
  const Library& library = *server->library_;
  library.set_user_data(library.client, server.get());
  library.set_progress(library.client, &DebugServer::on_progress);
  return server;
}

DebugServer::DebugServer(Setup setup) : setup_(std::move(setup)) {}
DebugServer::~DebugServer() = default;

// Removes the partial files of processes killed during a transfer: "debuginfo.x7Gk2a". Transfers in progress are
// younger than the limit.
void DebugServer::remove_partial_files(const BuildId& id) const {
  if (setup_.folder.empty()) return;
  constexpr std::size_t kRandom = 6;
  const std::string folder = fmt::format("{}/{}", setup_.folder, id.hex());
  for (const std::string& name : names_in_folder(folder)) {
    const std::size_t dot = std::min(name.find('.'), name.size());
    const std::string_view kind = std::string_view(name).substr(0, dot);
    if ((kind != "debuginfo" && kind != "executable") || name.size() != dot + 1 + kRandom) continue;
    struct stat status{};
    const std::string path = folder + '/' + name;
    if (::lstat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) continue;
    if (std::time(nullptr) - status.st_mtime > seconds(setup_.limits.total)) ::unlink(path.c_str());
  }
}

Result<std::string> DebugServer::fetch(const BuildId& id, ServerFile wish) {
  const std::lock_guard lock(one_at_a_time_);
  if (!failure_.empty()) return fail(ErrorKind::System, "{}", failure_);
  remove_partial_files(id);
  const HeldSignals held;
  current_ = id;
  begun_ = moved_ = Clock::now();
  done_ = 0;
  stopped_ = {};
  char* path = nullptr;
  const auto find = wish == ServerFile::DebugInfo ? library_->find_debuginfo : library_->find_executable;
  const int fd = find(library_->client, id.bytes.data(), id.size, &path);
  const std::unique_ptr<char, void (*)(void*)> owned(path, &::free);
  spent_ += std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begun_);
  if (fd >= 0) {
    ::close(fd);
    if (path != nullptr) return std::string(path);
    return fail(ErrorKind::System, "debuginfod: {}: no path", id.hex());
  }
  if (fd == -ENOENT && stopped_.message.empty())
    return fail(ErrorKind::NotFound, "debuginfod: {} not found on the servers", id.hex());
  if (fd == -EFBIG && stopped_.message.empty())
    stopped_ = {ErrorKind::Unsupported,
                fmt::format("debuginfod: {}: larger than {} bytes", id.hex(), setup_.limits.bytes)};
  if (stopped_.message.empty()) stopped_ = {ErrorKind::System, fmt::format("debuginfod: {}", std::strerror(-fd))};
  if (stopped_.kind != ErrorKind::Unsupported) failure_ = stopped_.message;
  return std::unexpected(stopped_);
}

}  // namespace peregrine
