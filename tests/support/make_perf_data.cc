// make_perf_data OUT < RECIPE: writes the perf.data file that a recipe (recipe.h) describes.
#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>
#include <stdexcept>
#include <string>

#include "support/recipe.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: make_perf_data OUT < RECIPE\n";
    return 129;
  }
  const std::string recipe((std::istreambuf_iterator<char>(std::cin)), std::istreambuf_iterator<char>());
  try {
    const auto bytes = peregrine::support::compile_recipe(recipe);
    std::ofstream out(argv[1], std::ios::binary);
    out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    return out.good() ? 0 : 1;
  } catch (const std::invalid_argument& error) {
    std::cerr << "make_perf_data: " << error.what() << '\n';
    return 1;
  }
}
