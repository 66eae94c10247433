// OutputPlace: a name in a folder that is held open, where a file is to be written.
//
// Names are checked and used through the same folder. Symbolic links are followed one at a time, and only if they
// belong to the effective user or to root, so that nobody else chooses where we write. The kernel protects the folders
// on the path (fs.protected_symlinks). OutputDraft is a new file without a name, or with a unique one, that takes the
// place when it is complete; every file that must never be partial starts as a draft.
#pragma once
#include <sys/stat.h>

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "base/fd.h"

namespace peregrine {

inline constexpr unsigned kPrivateMode = 0600;  // the umask still applies
inline constexpr unsigned kSharedMode = 0666;

class OutputPlace {
 public:
  // Slashes at the end do not count. Errors: the folder cannot be opened; `path` ends with ".", ".." or nothing.
  static Result<OutputPlace> at(const std::string& path);

  const std::string& path() const { return path_; }
  const std::string& name() const { return name_; }
  int folder() const { return folder_.get(); }
  // The path of another name in the same folder.
  std::string beside(const std::string& name) const { return prefix_ + name; }
  // The same folder with another name.
  Result<OutputPlace> sibling(const std::string& name) const;
  // Whether the folder is in /proc, where links stand for open files.
  bool in_proc() const;

  // What has the name, without following a link; no value: nothing.
  Result<std::optional<struct stat>> status() const;
  // Where the link that status() found leads. Denied: it belongs to another user.
  Result<OutputPlace> behind(const struct stat& link) const;
  // openat(2) of the name with O_CLOEXEC and O_NOFOLLOW added.
  Result<Fd> open(int flags, unsigned mode = 0) const;
  // In /proc: openat(2) with O_CLOEXEC added, so that links are followed.
  Result<Fd> open_link(int flags) const;
  Result<> remove(int flags = 0) const;  // unlinkat(2)
  // Renames what has the name to another one of this folder, over a file that has that.
  Result<> rename_to(const OutputPlace& other) const;

 private:
  OutputPlace(Fd folder, std::string prefix, std::string name)
      : folder_(std::move(folder)), prefix_(std::move(prefix)), name_(std::move(name)), path_(prefix_ + name_) {}

  Fd folder_;
  std::string prefix_;  // "" or what ends with a slash
  std::string name_, path_;
};

class OutputDraft {
 public:
  static Result<OutputDraft> create(const OutputPlace& place, unsigned mode);
  // For `name` in an open folder, which errors call just that.
  static Result<OutputDraft> create(int folder, const std::string& name, unsigned mode);
  OutputDraft(OutputDraft&& other) noexcept;
  OutputDraft& operator=(OutputDraft&&) = delete;
  ~OutputDraft();  // a draft that has not taken its place is gone

  // The file, for reading and writing.
  int fd() const { return file_.get(); }
  // Another descriptor of it.
  Result<Fd> descriptor() const;
  // Gives the file the name of its place. With `replace` over another file, else an error when the name is taken.
  Result<> take(bool replace);

 private:
  static Result<OutputDraft> create_in(int folder, const std::string& target, const std::string& path, unsigned mode);
  OutputDraft(Fd folder, std::string target, std::string path)
      : folder_(std::move(folder)), target_(std::move(target)), path_(std::move(path)) {}
  int link_as(const std::string& name) const;

  Fd folder_, file_;
  std::string target_, path_;  // the name to take, and how errors spell it
  std::string name_;           // empty: the file has no name yet
};

// What a step of walk_links() found: the end of the walk, a link to follow, or nothing yet, to look once more.
template <class T>
using LinkStep = std::variant<T, struct stat, std::monostate>;

// Goes from link to link, as the kernel would, but each one as behind() follows it: calls visit(OutputPlace&), which
// returns Result<LinkStep<T>>, for `path` and then for each place that a link leads to.
template <class T, class Visit>
Result<T> walk_links(const std::string& path, Visit&& visit) {
  constexpr int kMostLinks = 40;  // as the kernel
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

// The place of `path` behind all links, as behind() follows them; a link in /proc stays one, since it is an open file.
Result<OutputPlace> follow_links(const std::string& path);

// Names for what is unfinished beside `name`: ".NAME.PID.new", ".NAME.PID-2.new", … `make` makes it, exclusively, and
// returns errno or 0; what a killed process with our number left has its name still, so the next one is tried.
Result<std::string> make_with_draft_name(const std::string& name, const std::function<int(const char* draft)>& make);
// The NAME of drafts: as much of a long name as leaves room for the rest.
std::string draft_stem(const std::string& name);

}  // namespace peregrine
