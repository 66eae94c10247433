#include "capture/filter_complaint.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "sys/tracefs.h"

namespace peregrine {

namespace {

// A folder of instances/, gone when the object is.
class Instance {
 public:
  explicit Instance(const std::string& tracefs)
      : path_(fmt::format("{}/instances/peregrine-{}", tracefs, ::getpid())),
        there_(::mkdir(path_.c_str(), 0700) == 0) {}
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;
  ~Instance() {
    if (there_) ::rmdir(path_.c_str());
  }
  bool is_there() const { return there_; }
  std::string path(std::string_view file) const { return fmt::format("{}/{}", path_, file); }

 private:
  std::string path_;
  bool there_ = false;
};

// "[  33.1] event filter parse error: error: Field not found\n  Command: x == 1\n           ^\n" without its head.
std::string last_complaint(const std::string& log) {
  constexpr std::string_view kStart = "error: ";
  const auto line = log.rfind("event filter parse error: ");
  if (line == log.npos) return "";
  const auto text = log.find(kStart, line + std::string_view("event filter parse ").size() + kStart.size());
  std::string complaint = log.substr(text == log.npos ? line : text + kStart.size());
  while (!complaint.empty() && complaint.back() == '\n') complaint.pop_back();
  return complaint;
}

}  // namespace

std::string filter_complaint(const std::string& system, const std::string& event, const std::string& filter) {
  const Root root;
  const auto tracefs = Tracefs::find(root);
  if (!tracefs) return "";
  const Instance instance(tracefs->mount());
  if (!instance.is_there()) return "";
  auto file = open_file(instance.path(fmt::format("events/{}/{}/filter", system, event)), O_WRONLY);
  if (!file || write_all(file->get(), filter.data(), filter.size())) return "";
  return last_complaint(read_file(instance.path("error_log")).value_or(""));
}

}  // namespace peregrine
