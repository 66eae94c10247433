#include "capture/tracer/tracer_guard.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <expected>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/concurrency/detached_process.h"
#include "base/result.h"
#include "capture/tracer/trace_folder.h"
#include "sys/root.h"

namespace peregrine {
namespace {

constexpr char kDone = 'd';
constexpr std::string_view kInstanceKind = "instance ";
constexpr std::string_view kTracerKind = "settings for ";
constexpr std::string_view kSettings = "settings\n";

// The kernel refuses with EBUSY while somebody reads a tracer, as our killed owner does until all its files are closed.
// So removing and restoring are retried for half a second.
constexpr unsigned kAttempts = 50;
constexpr unsigned kPauseUs = 10'000;

std::vector<std::string> remove_instance(const TraceFolder& instance, const std::optional<SavedTracer>& saved) {
  if (saved) (void)saved->restore();
  (void)instance.set("tracing_on", "0");
  (void)instance.set("current_tracer", "nop");
  for (unsigned attempt = 0; attempt < kAttempts; ++attempt) {
    if (instance.remove() || errno == ENOENT) return {};
    if (errno != EBUSY) break;
    ::usleep(kPauseUs);
  }
  return {instance.path()};
}

std::vector<std::string> restore_settings(const SavedTracer& saved) {
  std::vector<std::string> refused = saved.restore();
  for (unsigned attempt = 1; attempt < kAttempts && !refused.empty(); ++attempt) {
    ::usleep(kPauseUs);
    refused = saved.restore();
  }
  return refused;
}

}  // namespace

std::vector<std::string> TracerGuard::run() {
  std::vector<std::string> refused;
  if (instance_)
    refused = remove_instance(*instance_, saved_);
  else if (saved_)
    refused = restore_settings(*saved_);
  if (record_ && refused.empty()) record_->settle();
  return refused;
}

void TracerGuard::record(const Root& root, const std::string& text) {
  auto made = OwnershipRecord::create(root, text);
  if (made)
    record_ = std::move(*made);
  else
    unrecorded_ = made.error().message;
}

void TracerGuard::note(const std::string& text) {
  if (!record_) return;
  const auto added = record_->append(text);
  if (!added) unrecorded_ = added.error().message;
}

void TracerGuard::note_settings() {
  if (!instance_) note(std::string(kSettings) + saved_->take_again().format());
}

std::string instance_record(const std::string& path) { return fmt::format("{}{}\n", kInstanceKind, path); }

std::string TracerGuard::replaced() const {
  return !instance_ && saved_ && saved_->tracer() != "nop" ? saved_->tracer() : std::string();
}

Result<TracerGuard> TracerGuard::save(SavedTracer saved, const std::string& tracer) {
  TracerGuard guard(std::move(saved));
  guard.record(guard.saved_->folder().root(), fmt::format("{}{}\n{}", kTracerKind, tracer, guard.saved_->format()));
  PEREGRINE_TRY(guard.start());
  return guard;
}

Result<TracerGuard> TracerGuard::make_instance(const TraceFolder& top, const std::string& name,
                                               const std::vector<std::string>& options) {
  TracerGuard guard(std::nullopt);
  guard.record(top.root(), instance_record(top.instance_path(name)));
  auto made = top.make_instance(name);
  if (!made) {
    if (guard.record_) guard.record_->settle();
    return std::unexpected(std::move(made.error()));
  }
  guard.instance_ = std::move(*made);
  if (!options.empty()) {
    guard.saved_ = SavedTracer::take(*guard.instance_, options);
    guard.note(guard.saved_->format());
  }
  PEREGRINE_TRY(guard.start());
  return guard;
}

Result<> TracerGuard::start() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) {
    auto failed = fail(ErrorKind::System, "pipe: {}", std::strerror(errno));
    run();
    return failed;
  }
  //   this process, alive_ ═══ pipe ═══▶ the guard process, blocked in read()
  //
  // undo() writes kDone after its work, and the guard has nothing to do. If this process dies, however it does, the
  // kernel closes the pipe, read() returns 0, and the guard restores the settings.
  const Fd wait_end(ends[0]);
  alive_ = Fd(ends[1]);
  auto started = start_detached(std::array{wait_end.get(), record_ ? record_->fd() : -1}, [&] {
    char word = 0;
    if (::read(wait_end.get(), &word, 1) != 1 || word != kDone) run();
  });
  if (started) return {};
  undo();
  started.error().message =
      fmt::format("cannot start the process that restores the tracer's settings: {}", started.error().message);
  return started;
}

std::vector<std::string> TracerGuard::undo() {
  if (!alive_) return {};
  std::vector<std::string> refused = run();
  [[maybe_unused]] const ssize_t told = ::write(alive_.get(), &kDone, 1);
  alive_.reset();
  return refused;
}

TracerGuard::~TracerGuard() { undo(); }

namespace {

AbandonedTracer undo_instance(const Root& root, const std::string& path, const std::optional<SavedTracer>& saved,
                              OwnershipRecord& record) {
  AbandonedTracer result{.what = fmt::format("tracing instance '{}'", path), .refused = {}, .foreign = {}};
  const TraceFolder instance(root, path);
  if (instance.is_instance_of_ours())
    result.refused = remove_instance(instance, saved);
  else
    result.foreign = {path};
  if (result.refused.empty()) record.settle();
  return result;
}

// `tracer` is the owner's tracer and `ours` are the settings it made; absent if it died before that.
AbandonedTracer undo_settings(const SavedTracer& before, std::string_view tracer,
                              const std::optional<SavedTracer>& ours, OwnershipRecord& record) {
  AbandonedTracer result{
      .what = fmt::format("settings of the tracer in '{}'", before.folder().path()), .refused = {}, .foreign = {}};
  const SavedTracer now = before.take_again();
  if (ours)
    result.foreign = now.differences(*ours);
  else if (now.tracer() != "nop" && now.tracer() != before.tracer() && now.tracer() != tracer)
    result.foreign = {"current_tracer"};
  if (result.foreign.empty()) result.refused = restore_settings(before);
  if (result.refused.empty()) record.settle();
  return result;
}

}  // namespace

std::optional<AbandonedTracer> undo_abandoned_tracer(const Root& root, OwnershipRecord& record) {
  std::string_view text = record.text();
  if (text.starts_with(kInstanceKind)) {
    text.remove_prefix(kInstanceKind.size());
    const std::string path(text.substr(0, text.find('\n')));
    text.remove_prefix(std::min(path.size() + 1, text.size()));
    return undo_instance(root, path, SavedTracer::parse(root, text), record);
  }
  if (!text.starts_with(kTracerKind)) return std::nullopt;
  text.remove_prefix(kTracerKind.size());
  const std::string_view tracer = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(tracer.size() + 1, text.size()));
  const auto before = SavedTracer::parse(root, text);
  if (!before) return std::nullopt;
  const std::size_t settings = text.find("\n" + std::string(kSettings));
  std::optional<SavedTracer> ours;
  if (settings != std::string_view::npos) ours = SavedTracer::parse(root, text.substr(settings + 1 + kSettings.size()));
  return undo_settings(*before, tracer, ours, record);
}

}  // namespace peregrine
