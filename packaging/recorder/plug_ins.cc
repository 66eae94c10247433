// dlopen(3) of the recorder, which loads nothing.
#include <dlfcn.h>

namespace {

const char* failure = nullptr;

}  // namespace

extern "C" {

void* dlopen(const char*, int) noexcept {
  failure = "any library: this is the recorder, which loads none; install the complete package";
  return nullptr;
}

void* dlsym(void* __restrict, const char* __restrict) noexcept { return nullptr; }

int dlclose(void*) noexcept { return 0; }

char* dlerror() noexcept {
  const char* const reason = failure;
  failure = nullptr;
  return const_cast<char*>(reason);
}

}  // extern "C"
