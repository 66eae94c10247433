#include "insn/shared_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <expected>
#include <string_view>

namespace peregrine {

void SharedLibrary::Close::operator()(void* handle) const { ::dlclose(handle); }

Result<SharedLibrary> SharedLibrary::open(const std::string& file, std::string_view package) {
  SharedLibrary library;
  library.file_ = file;
  library.handle_.reset(::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL));
  if (!library.handle_) {
    const char* const reason = ::dlerror();
    return std::unexpected(
        Error{ErrorKind::Unsupported, fmt::format("cannot load {}", reason == nullptr ? file.c_str() : reason)}
            .with_hint(fmt::format("install it (Debian: apt install {}), or pass an objdump with --objdump", package)));
  }
  return library;
}

Result<> SharedLibrary::find_symbol(const char* name, void*& symbol) const {
  symbol = ::dlsym(handle_.get(), name);
  if (symbol == nullptr) return fail(ErrorKind::Unsupported, "{} has no function {}", file_, name);
  return {};
}

}  // namespace peregrine
