#include "cmd/debug_servers.h"

#include <chrono>

namespace peregrine::cmd {
namespace {

constexpr std::string_view kUrls = "DEBUGINFOD_URLS";
constexpr std::chrono::seconds kBetweenNotes{2};

std::string urls_of(const std::string& wanted, const Config& config) {
  if (!wanted.empty()) return wanted;
  if (const auto urls = config.variable(kUrls)) return std::string(*urls);
  return config.text("buildid-cache.debuginfod", "");
}

// A line at the start of each transfer that takes some time, and every two seconds: Ctrl-C ends the wait.
class TransferNotes {
 public:
  explicit TransferNotes(Invocation& call) : call_(&call) {}
  bool operator()(const BuildId& id, u64 done, u64 total) {
    const auto now = std::chrono::steady_clock::now();
    if (id != id_) {
      id_ = id;
      last_ = now;
      return true;
    }
    if (now - last_ < kBetweenNotes) return true;
    last_ = now;
    const std::string of = total == 0 ? std::string() : fmt::format(" of {}", total >> 10);
    call_->messages.note(fmt::format("debuginfod: {}: {}{} kB", id.hex(), done >> 10, of));
    return true;
  }

 private:
  Invocation* call_;
  BuildId id_;
  std::chrono::steady_clock::time_point last_;
};

}  // namespace

std::unique_ptr<DebugServer> open_debug_servers(const std::optional<std::string>& wanted, Invocation& call) {
  if (!wanted) return nullptr;
  auto server = DebugServer::open(urls_of(*wanted, call.config), TransferNotes(call));
  if (server) return std::move(*server);
  call.messages.warning(server.error().message, server.error().hint);
  return nullptr;
}

}  // namespace peregrine::cmd
