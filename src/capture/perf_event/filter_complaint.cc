#include "capture/perf_event/filter_complaint.h"

#include <fmt/format.h>

#include <optional>
#include <string_view>
#include <utility>

#include "capture/tracer/trace_folder.h"
#include "capture/tracer/tracer_guard.h"
#include "sys/kernel/ownership_record.h"
#include "sys/kernel/tracefs.h"
#include "sys/root.h"

namespace peregrine {

namespace {

// A tracefs instance that the destructor removes, or the next start if this process is killed.
class Instance {
 public:
  explicit Instance(const TraceFolder& top) {
    const std::string name = instance_name();
    if (auto record = OwnershipRecord::create(top.root(), instance_record(top.instance_path(name))))
      record_ = std::move(*record);
    if (auto made = top.make_instance(name)) folder_ = std::move(*made);
  }
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;
  ~Instance() {
    if ((!folder_ || folder_->remove()) && record_) record_->settle();
  }
  const std::optional<TraceFolder>& folder() const { return folder_; }

 private:
  std::optional<OwnershipRecord> record_;
  std::optional<TraceFolder> folder_;
};

}  // namespace

std::string last_filter_complaint(const std::string& log) {
  constexpr std::string_view kStart = "error: ";
  const auto line = log.rfind("event filter parse error: ");
  if (line == log.npos) return "";
  const auto text = log.find(kStart, line + std::string_view("event filter parse ").size() + kStart.size());
  std::string complaint = log.substr(text == log.npos ? line : text + kStart.size());
  while (!complaint.empty() && complaint.back() == '\n') complaint.pop_back();
  return complaint;
}

std::string filter_complaint(const std::string& system, const std::string& event, const std::string& filter) {
  const Root root;
  const auto tracefs = Tracefs::find(root);
  if (!tracefs) return "";
  const Instance instance(TraceFolder(root, tracefs->mount()));
  if (!instance.folder() || instance.folder()->set(fmt::format("events/{}/{}/filter", system, event), filter))
    return "";
  return last_filter_complaint(instance.folder()->read("error_log").value_or(""));
}

}  // namespace peregrine
