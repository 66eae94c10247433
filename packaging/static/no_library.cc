#include "static/no_library.h"

#include <dlfcn.h>

namespace {

const char* failure = nullptr;

}  // namespace

void refuse_library(const char* reason) { failure = reason; }

extern "C" {

int dlclose(void*) noexcept { return 0; }

char* dlerror() noexcept {
  const char* const reason = failure;
  failure = nullptr;
  return const_cast<char*>(reason);
}

}  // extern "C"
