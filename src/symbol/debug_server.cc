#include "symbol/debug_server.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace peregrine {
namespace {

constexpr const char* kLibrary = "libdebuginfod.so.1";
// The library gives up a transfer that brings less than 100 kB in this many seconds; its own default is 90.
constexpr const char* kTimeout = "20";

}  // namespace

// The functions of libdebuginfod that are used; elfutils keeps them as they are since 0.179.
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
    handle = ::dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);  // libcurl keeps memory of its own
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

// The callback gets the client only. The way back to the server leads through the library, which is loaded by now.
int DebugServer::on_progress(void* client, long done, long total) {
  const std::unique_ptr<void, int (*)(void*)> handle(::dlopen(kLibrary, RTLD_LAZY | RTLD_NOLOAD), &::dlclose);
  if (handle == nullptr) return 0;
  const auto get_user_data = reinterpret_cast<void* (*)(void*)>(::dlsym(handle.get(), "debuginfod_get_user_data"));
  auto* server = static_cast<DebugServer*>(get_user_data(client));
  const auto positive = [](long value) { return value > 0 ? static_cast<u64>(value) : 0; };
  return server->progress_(server->current_, positive(done), positive(total)) ? 0 : 1;
}

Result<std::unique_ptr<DebugServer>> DebugServer::open(const std::string& urls, Progress progress) {
  if (urls.find_first_not_of(" \t") == std::string::npos) {
    return std::unexpected(Error{ErrorKind::Usage, "--debuginfod: no server is named"}.with_hint(
        "--debuginfod=https://debuginfod.elfutils.org/, or set DEBUGINFOD_URLS"));
  }
  // The library reads its settings from the environment, and only there.
  ::setenv("DEBUGINFOD_URLS", urls.c_str(), 1);
  ::setenv("DEBUGINFOD_TIMEOUT", kTimeout, 0);
  std::unique_ptr<DebugServer> server(new DebugServer);
  server->library_ = std::make_unique<Library>();
  if (!server->library_->load()) {
    return std::unexpected(
        Error{ErrorKind::Unsupported, fmt::format("--debuginfod: {} cannot be loaded", kLibrary)}.with_hint(
            "install it: apt install libdebuginfod1"));
  }
  server->progress_ = std::move(progress);
  const Library& library = *server->library_;
  library.set_user_data(library.client, server.get());
  if (server->progress_) library.set_progress(library.client, &DebugServer::on_progress);
  return server;
}

DebugServer::~DebugServer() = default;

Result<std::string> DebugServer::fetch(const BuildId& id, ServerFile wish) {
  const std::lock_guard lock(one_at_a_time_);
  if (!failure_.empty()) return fail(ErrorKind::System, "{}", failure_);
  current_ = id;
  char* path = nullptr;
  const auto find = wish == ServerFile::DebugInfo ? library_->find_debuginfo : library_->find_executable;
  const int fd = find(library_->client, id.bytes.data(), id.size, &path);
  const std::unique_ptr<char, void (*)(void*)> owned(path, &::free);
  if (fd >= 0) {
    ::close(fd);
    if (path != nullptr) return std::string(path);
    return fail(ErrorKind::System, "debuginfod: {}: no path", id.hex());
  }
  if (fd == -ENOENT) return fail(ErrorKind::NotFound, "debuginfod: {} is not on the servers", id.hex());
  failure_ = fmt::format("debuginfod: {}", std::strerror(-fd));
  return fail(ErrorKind::System, "{}", failure_);
}

}  // namespace peregrine
