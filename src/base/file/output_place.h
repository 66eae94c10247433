// OutputPlace: the name of a file to be written, in a folder that is held open.
//
// Names are checked and used through the same folder. Symbolic links are followed one at a time, and only if they
// belong to the effective user or to root, so that no one else can choose where we write. The kernel protects the
// folders on the path (fs.protected_symlinks). OutputDraft is a new file without a name, or with a unique one, that is
// renamed to the place when complete; every file that must never be partial starts as a draft.
#pragma once
#include <sys/stat.h>

#include <cerrno>
#include <expected>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "base/fd.h"
#include "base/result.h"

namespace peregrine {

inline constexpr unsigned kPrivateMode = 0600;  // the umask still applies
inline constexpr unsigned kSharedMode = 0666;

class OutputPlace {
 public:
  // Ignores trailing slashes. Errors: the folder cannot be opened; `path` is empty or ends with "." or "..".
  static Result<OutputPlace> at(const std::string& path);

  const std::string& path() const { return path_; }
  const std::string& name() const { return name_; }
  int folder() const { return folder_.get(); }
  // Returns the path of another name in the same folder.
  std::string beside(const std::string& name) const { return prefix_ + name; }
  // Returns another name in the same folder.
  Result<OutputPlace> sibling(const std::string& name) const;
  // Whether the folder is in /proc, where links represent open files.
  bool in_proc() const;

  // Returns the status of the name without following a link, or no value if it does not exist.
  Result<std::optional<struct stat>> status() const;
  // Returns the target of the link that status() found. Denied: the link belongs to another user.
  Result<OutputPlace> behind(const struct stat& link) const;
  // Calls openat(2) for the name with O_CLOEXEC and O_NOFOLLOW.
  Result<Fd> open(int flags, unsigned mode = 0) const;
  // In /proc: calls openat(2) with O_CLOEXEC, so that links are followed.
  Result<Fd> open_link(int flags) const;
  Result<> remove(int flags = 0) const;  // unlinkat(2)
  // Renames the file to another name in this folder, replacing any file of that name.
  Result<> rename_to(const OutputPlace& other) const;

 private:
  OutputPlace(Fd folder, std::string prefix, std::string name)
      : folder_(std::move(folder)), prefix_(std::move(prefix)), name_(std::move(name)), path_(prefix_ + name_) {}

  Fd folder_;
  std::string prefix_;  // "" or a path that ends with a slash
  std::string name_, path_;
};

class OutputDraft {
 public:
  static Result<OutputDraft> create(const OutputPlace& place, unsigned mode);
  // Creates a draft for `name` in an open folder. Errors use `name`.
  static Result<OutputDraft> create(int folder, const std::string& name, unsigned mode);
  OutputDraft(OutputDraft&& other) noexcept;
  OutputDraft& operator=(OutputDraft&&) = delete;
  ~OutputDraft();  // removes a draft that has not taken its place

  // The file, open for reading and writing.
  int fd() const { return file_.get(); }
  // Returns another descriptor for the file.
  Result<Fd> descriptor() const;
  // Gives the file its final name. `replace`: replaces an existing file; otherwise an existing name is an error.
  Result<> take(bool replace);

 private:
  static Result<OutputDraft> create_in(int folder, const std::string& target, const std::string& path, unsigned mode);
  OutputDraft(Fd folder, std::string target, std::string path)
      : folder_(std::move(folder)), target_(std::move(target)), path_(std::move(path)) {}
  int link_as(const std::string& name) const;

  Fd folder_, file_;
  std::string target_, path_;  // the final name, and the path for errors
  std::string name_;           // empty: the file has no name yet
};

// The result of a step of walk_links(): the end of the walk, a link to follow, or neither: look again.
template <class T>
using LinkStep = std::variant<T, struct stat, std::monostate>;

// Follows links like the kernel, but each one by the rules of behind(). Calls visit(OutputPlace&), which returns
// Result<LinkStep<T>>, for `path` and then for each target of a link.
template <class T, class Visit>
Result<T> walk_links(const std::string& path, Visit&& visit) {
  constexpr int kMostLinks = 40;  // same as the kernel
  auto place = OutputPlace::at(path);
  for (int links = 0; place && links <= kMostLinks; ++links) {
    Result<LinkStep<T>> step = visit(*place);
    if (!step) return std::unexpected(std::move(step.error()));
    if (T* const found = std::get_if<T>(&*step)) return std::move(*found);
    if (const auto* const link = std::get_if<struct stat>(&*step)) {
      auto next = place->behind(*link);
      place = std::move(next);
    }
  }
  if (!place) return std::unexpected(std::move(place.error()));
  return fail_errno(path, ELOOP);
}

// Follows all links by the rules of behind(). A link in /proc is kept, because it is an open file.
Result<OutputPlace> follow_links(const std::string& path);

// Tries draft names for `name`: ".NAME.PID.new", ".NAME.PID-2.new", … `make` creates the draft exclusively and returns
// errno or 0. If a killed process with our PID has left a draft, the next name is tried.
Result<std::string> make_with_draft_name(const std::string& name, const std::function<int(const char* draft)>& make);
// Returns the NAME part of draft names, shortened if necessary to leave room for the rest.
std::string draft_stem(const std::string& name);

}  // namespace peregrine
