#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <expected>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "script/interpreter.h"

namespace peregrine::script {

// Never unloads the library, because interpreters leave threads and exit handlers behind.
Result<std::unique_ptr<Interpreter>> load_interpreter(const std::string& folder, Language language,
                                                      const Setup& setup) {
  const bool python = language == Language::Python;
  const std::string_view name = python ? "Python" : "Perl", package = python ? "libpython3.11" : "libperl5.36";
  const std::string file = fmt::format("{}/script_{}.so", folder, python ? "python" : "perl");
  if (::access(file.c_str(), F_OK) != 0) {
    return std::unexpected(
        Error{ErrorKind::Unsupported, fmt::format("this build has no {}: {} does not exist", name, file)}.with_hint(
            fmt::format("build with -DPEREGRINE_{}=ON, or install the whole package", python ? "PYTHON" : "PERL")));
  }
  // RTLD_GLOBAL: modules that scripts import need the interpreter's symbols.
  void* const handle = ::dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL | RTLD_NODELETE);
  if (handle == nullptr) {
    const char* const reason = ::dlerror();
    return std::unexpected(
        Error{ErrorKind::Unsupported, fmt::format("cannot load {}", reason == nullptr ? file.c_str() : reason)}
            .with_hint(fmt::format("{} is needed for {} scripts (Debian: apt install {})", name, name, package)));
  }
  auto* const open = reinterpret_cast<OpenInterpreter*>(::dlsym(handle, kOpenInterpreter));
  Interpreter* const made = open == nullptr ? nullptr : open(kInterpreterNumber, setup);
  if (made == nullptr) return fail(ErrorKind::Malformed, "{} belongs to another version of this program", file);
  return std::unique_ptr<Interpreter>(made);
}

}  // namespace peregrine::script
