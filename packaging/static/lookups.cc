// Users' names are read from /etc/passwd only: other services are libraries, which the static program cannot load.
#include <nss.h>

namespace {

[[gnu::constructor]] void configure_lookups() { ::__nss_configure_lookup("passwd", "files"); }

}  // namespace
