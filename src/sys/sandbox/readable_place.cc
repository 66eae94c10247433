#include "sys/sandbox/readable_place.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cstddef>
#include <filesystem>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/file/folder_entries.h"

namespace peregrine {

namespace {

// The parts of /etc that the C library, terminals and name resolution need.
constexpr std::string_view kEtc[] = {
    "ld.so.cache",  "ld.so.preload", "ld.so.conf", "ld.so.conf.d", "localtime",       "timezone",   "terminfo",
    "alternatives", "perfconfig",    "debuginfod", "resolv.conf",  "hosts",           "host.conf",  "nsswitch.conf",
    "gai.conf",     "services",      "protocols",  "pki",          "ca-certificates", "os-release", "machine-id",
    "locale.alias", "passwd",        "group",      "ssl/certs",    "ssl/openssl.cnf", "selinux",    "crypto-policies"};

// World-readable devices. Other devices include disks and memory.
constexpr std::string_view kReadableDevices[] = {"null", "zero", "full", "random",  "urandom",
                                                 "tty",  "pts",  "ptmx", "console", "shm"};

constexpr std::string_view kSecrets[] = {
    "/dev",         "/etc",      "/lost+found", "/run/credentials", "/run/secrets", "/run/user",
    "/var/backups", "/var/mail", "/var/spool",  "/var/lib/private", "/var/lib/sss"};

constexpr std::string_view kSecretsOfHomes[] = {".ssh",
                                                ".gnupg",
                                                ".aws",
                                                ".azure",
                                                ".kube",
                                                ".docker",
                                                ".netrc",
                                                ".pgpass",
                                                ".my.cnf",
                                                ".mylogin.cnf",
                                                ".git-credentials",
                                                ".password-store",
                                                ".vault-token",
                                                ".npmrc",
                                                ".pypirc",
                                                ".terraform.d",
                                                ".mozilla",
                                                ".thunderbird",
                                                ".bash_history",
                                                ".zsh_history",
                                                ".python_history",
                                                ".lesshst",
                                                ".psql_history",
                                                ".mysql_history",
                                                ".viminfo",
                                                ".Xauthority",
                                                ".ICEauthority",
                                                ".pki",
                                                ".config/gcloud",
                                                ".config/gh",
                                                ".config/git",
                                                ".config/google-chrome",
                                                ".config/chromium",
                                                ".config/rclone",
                                                ".local/share/keyrings",
                                                ".cargo/credentials",
                                                ".cargo/credentials.toml"};

// If a folder with secrets has thousands of other entries, allowing each one would cost milliseconds at every start.
// Such a folder is allowed as a whole, because a report without symbols would mislead.
constexpr std::size_t kMostEntries = 4096, kMostInAll = 16384;

bool is_link(const std::string& folder, const FolderEntries::Entry& entry) {
  if (entry.type != DT_UNKNOWN) return entry.type == DT_LNK;
  struct stat status{};
  return ::lstat(fmt::format("{}/{}", folder, entry.name).c_str(), &status) == 0 && S_ISLNK(status.st_mode);
}

class Apart {
 public:
  Apart(const Root& root, ReadFailures& failures, const std::function<void(std::string)>& allow)
      : root_(root), failures_(failures), allow_(allow) {}

  void keep(std::string secret) { secrets_.insert(std::move(secret)); }

  // `folder` has no trailing slash; "" means /.
  void take(const std::string& folder) {
    const std::string start = root_.path(folder.empty() ? "/" : folder);
    FolderEntries entries(start);
    std::vector<std::string> places;
    while (const auto entry = entries.next()) {
      std::string path = fmt::format("{}/{}", folder, entry->name);
      // Links are skipped: their targets are judged at their real location.
      if (secrets_.contains(path) || is_link(start, *entry)) continue;
      places.push_back(std::move(path));
      if (places.size() > kMostEntries || ++entries_ > kMostInAll) return allow_(folder.empty() ? "/" : folder);
    }
    failures_.note(start, entries.error());
    for (const std::string& path : places) is_above(path) ? take(path) : allow_(path);
  }

 private:
  bool is_above(const std::string& path) const {
    const std::string beneath = path + '/';
    const auto next = secrets_.lower_bound(beneath);
    return next != secrets_.end() && next->starts_with(beneath);
  }

  const Root& root_;
  ReadFailures& failures_;
  const std::function<void(std::string)>& allow_;
  std::set<std::string> secrets_;
  std::size_t entries_ = 0;
};

}  // namespace

void for_each_readable_place(const Root& root, const std::string& home, ReadFailures& failures,
                             const std::function<void(std::string)>& allow) {
  Apart apart(root, failures, allow);
  for (const std::string_view secret : kSecrets) apart.keep(std::string(secret));
  std::vector<std::string> homes{"/root"};
  std::error_code error;
  const std::string real = home.empty() ? home : std::filesystem::canonical(home, error).string();
  if (!error && real.size() > 1) homes.push_back(real);
  FolderEntries users(root.path("/home"));
  while (const auto user = users.next()) homes.push_back(fmt::format("/home/{}", user->name));
  if (is_machine_failure(users.error())) {  // unknown homes may hold secrets
    failures.note(root.path("/home"), users.error());
    apart.keep("/home");
  }
  for (const std::string& place : homes)
    for (const std::string_view secret : kSecretsOfHomes) apart.keep(place + "/" + std::string(secret));
  apart.take("");
  for (const std::string_view name : kEtc) allow("/etc/" + std::string(name));
  for (const std::string_view name : kReadableDevices) allow("/dev/" + std::string(name));
}

}  // namespace peregrine
