#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "cmd/program.h"

int main(int argc, char** argv, char** environ) {
  std::vector<std::string> environment;
  for (; environ != nullptr && *environ != nullptr; ++environ) environment.emplace_back(*environ);
  return peregrine::cmd::run_program(std::span(argv, static_cast<std::size_t>(argc)), environment);
}
