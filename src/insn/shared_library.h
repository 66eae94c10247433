// SharedLibrary: an optional library, loaded when first needed.
#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace peregrine {

class SharedLibrary {
 public:
  // `file`: a name for the dynamic linker; `package`: what to install if it is missing.
  static Result<SharedLibrary> open(const std::string& file, std::string_view package);

  // Sets `function` to that symbol; Unsupported if the library lacks it.
  template <class Function>
  Result<> find(const char* name, Function*& function) const {
    void* symbol = nullptr;
    PEREGRINE_TRY(find_symbol(name, symbol));
    function = reinterpret_cast<Function*>(symbol);
    return {};
  }

 private:
  struct Close {
    void operator()(void* handle) const;
  };
  Result<> find_symbol(const char* name, void*& symbol) const;

  std::string file_;
  std::unique_ptr<void, Close> handle_;
};

}  // namespace peregrine
