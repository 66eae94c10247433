#include "session/recording/debug_servers.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "base/build_id.h"
#include "base/types.h"

namespace peregrine {
namespace {

constexpr std::chrono::seconds kBetweenTransferNotes{2};

// Adds a note for every two seconds of a transfer, so that the user can decide to press Ctrl-C. Short transfers are
// silent.
class TransferNotes {
 public:
  explicit TransferNotes(SessionListener& listener) : listener_(&listener) {}
  bool operator()(const BuildId& id, u64 done, u64 total) {
    const auto now = std::chrono::steady_clock::now();
    if (id != id_) {
      id_ = id;
      last_ = now;
      return true;
    }
    if (now - last_ < kBetweenTransferNotes) return true;
    last_ = now;
    const std::string of = total == 0 ? std::string() : fmt::format(" of {}", total >> 10);
    listener_->note(fmt::format("debuginfod: {}: {}{} kB", id.hex(), done >> 10, of));
    return true;
  }

 private:
  SessionListener* listener_;
  BuildId id_;
  std::chrono::steady_clock::time_point last_;
};

}  // namespace

std::unique_ptr<DebugServer> open_debug_servers(const DebugServerRequest& request, SessionListener& listener) {
  auto server = DebugServer::open(
      {.urls = request.urls, .folder = request.folder, .progress = TransferNotes(listener), .limits = request.limits});
  if (server) return std::move(*server);
  listener.warning(server.error().message, server.error().hint);
  return nullptr;
}

}  // namespace peregrine
