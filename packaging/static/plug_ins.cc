// dlopen(3) of the static program: finds the plug-ins that are linked in, and loads nothing else. The C library's own
// would load a second C library, of another version on another machine.
#include <dlfcn.h>

#include <string_view>

#include "output/tui/screen/screen.h"
#include "static/no_library.h"
#include "static/terminal.h"

namespace {

using peregrine::tui::Screen;

int screens = 0;  // its address is the handle

}  // namespace

extern "C" {

void* dlopen(const char* file, int) noexcept {
  if (file != nullptr && std::string_view(file).ends_with("/screen_ncurses.so")) return &screens;
  refuse_library("any library: this is the static program, which loads none; install the complete package");
  return nullptr;
}

void* dlsym(void* __restrict handle, const char* __restrict name) noexcept {
  if (handle != &screens || std::string_view(name) != peregrine::tui::kOpenScreen) return nullptr;
  return reinterpret_cast<void*>(&peregrine::open_linked_screen);
}

}  // extern "C"
