// dlopen(3) and dlerror(3) of programs that load no library: the reason for a refusal.
#pragma once

// Sets what dlerror() returns next. `reason` must be a constant.
void refuse_library(const char* reason);
