// dlopen(3) of the recorder, which loads nothing.
#include <dlfcn.h>

#include "static/no_library.h"

extern "C" {

void* dlopen(const char*, int) noexcept {
  refuse_library("any library: this is the recorder, which loads none; install the complete package");
  return nullptr;
}

void* dlsym(void* __restrict, const char* __restrict) noexcept { return nullptr; }

}  // extern "C"
