#include <unistd.h>

#include <cstddef>
#include <exception>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cmd/program.h"

namespace {

// Without memory: there may be none left.
void write_failure(const char* reason) {
  for (const std::string_view part : {std::string_view("fatal: "), std::string_view(reason), std::string_view("\n")})
    if (::write(STDERR_FILENO, part.data(), part.size()) < 0) return;
}

}  // namespace

int main(int argc, char** argv, char** variable) try {
  std::vector<std::string> environment;
  for (; variable != nullptr && *variable != nullptr; ++variable) environment.emplace_back(*variable);
  return peregrine::cmd::run_program(std::span(argv, static_cast<std::size_t>(argc)), environment);
} catch (const std::exception& thrown) {
  // Commands run guarded (cmd/program.cc); this exception was thrown before or after one.
  write_failure(dynamic_cast<const std::bad_alloc*>(&thrown) != nullptr ? "out of memory" : thrown.what());
  return 255;
}
