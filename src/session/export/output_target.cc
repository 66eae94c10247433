#include "session/export/output_target.h"

#include <sys/stat.h>
#include <unistd.h>

#include <expected>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/file/content_kind.h"
#include "output/text_file.h"

namespace peregrine {

namespace {

bool is_same_file(const std::string& a, const std::string& b) {
  std::error_code error;
  return std::filesystem::equivalent(a, b, error) && !error;
}

bool is_empty_file(int fd) {
  struct stat status{};
  return ::fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size == 0;
}

Result<int> print_into(int fd, const std::string& path, const std::function<Result<int>(Sink&)>& print) {
  Sink out(fd);
  auto code = print(out);
  PEREGRINE_TRY(flush_file(out, path));
  return code;
}

Result<int> write_whole(const std::string& path, ContentKind written, const std::function<Result<int>(Sink&)>& print) {
  auto file = create_whole_file(path, {.written = written});
  if (!file) return std::unexpected(std::move(file.error()));
  auto code = print_into(file->fd(), path, print);
  if (!code || (*code != 0 && is_empty_file(file->fd()))) return code;
  PEREGRINE_TRY(file->finish());
  return code;
}

Result<int> write_as_it_goes(const std::string& path, ContentKind written,
                             const std::function<Result<int>(Sink&)>& print) {
  struct stat status{};
  const bool is_new = ::lstat(path.c_str(), &status) != 0;
  auto file = create_text_file(path, {.written = written});
  if (!file) return std::unexpected(std::move(file.error()));
  auto code = print_into(file->get(), path, print);
  if (is_new && (!code || *code != 0) && is_empty_file(file->get())) ::unlink(path.c_str());
  return code;
}

}  // namespace

Result<> check_output(const std::string& path, const std::string& recording) {
  if (!path.empty() && is_same_file(path, recording))
    return fail(ErrorKind::Usage, "{}: this is the recording itself", path);
  return {};
}

Result<int> write_output(const std::string& path, Writing writing, ContentKind written,
                         const std::function<Result<int>(Sink&)>& print) {
  return writing == Writing::Whole ? write_whole(path, written, print) : write_as_it_goes(path, written, print);
}

}  // namespace peregrine
