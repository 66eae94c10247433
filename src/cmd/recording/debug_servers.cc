#include "cmd/recording/debug_servers.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
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

}  // namespace

std::string debug_server_folder(const Config& config) {
  if (const auto chosen = config.variable("DEBUGINFOD_CACHE_PATH"); chosen && !chosen->empty())
    return std::string(*chosen);
  const std::string home = config.home();
  std::string old = home + "/.debuginfod_client_cache";
  if (!home.empty() && ::access(old.c_str(), F_OK) == 0) return old;
  if (const auto cache = config.variable("XDG_CACHE_HOME"); cache && !cache->empty())
    return fmt::format("{}/debuginfod_client", *cache);
  return home.empty() ? std::string() : home + "/.cache/debuginfod_client";
}

namespace {

// The library's own variables set the limits, too.
TransferLimits limits_of(const Config& config) {
  TransferLimits limits;
  const auto chosen = [&](std::string_view name) {
    u64 value = 0;
    const auto text = config.variable(name);
    if (text) std::from_chars(text->data(), text->data() + text->size(), value);
    return value;
  };
  constexpr u64 kLongest = 1'000'000;  // seconds
  if (const u64 bytes = chosen("DEBUGINFOD_MAXSIZE")) limits.bytes = std::min<u64>(bytes, u64{1} << 62);
  if (const u64 time = chosen("DEBUGINFOD_MAXTIME"))
    limits.transfer = std::chrono::seconds(static_cast<i64>(std::min(time, kLongest)));
  return limits;
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
  auto server = DebugServer::open({.urls = urls_of(*wanted, call.config),
                                   .folder = debug_server_folder(call.config),
                                   .progress = TransferNotes(call),
                                   .limits = limits_of(call.config)});
  if (server) return std::move(*server);
  call.messages.warning(server.error().message, server.error().hint);
  return nullptr;
}

}  // namespace peregrine::cmd
