#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "cmd/program.h"

int main(int argc, char** argv, char** variable) {
  std::vector<std::string> environment;
  for (; variable != nullptr && *variable != nullptr; ++variable) environment.emplace_back(*variable);
  return peregrine::cmd::run_program(std::span(argv, static_cast<std::size_t>(argc)), environment);
}
