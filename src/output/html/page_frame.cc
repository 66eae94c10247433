#include "output/html/page_frame.h"

#include "output/svg/flame_graph.h"

namespace peregrine {

void begin_page(Sink& out, std::string_view title, std::string_view style) {
  out.append("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
  out.append("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
  // Even if a name were taken for markup, the page could neither load nor send anything.
  out.append(
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'unsafe-inline'; "
      "style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\">\n");
  out.append("<title>").append(xml_text(title)).append("</title>\n<style>\n").append(style);
  out.append("</style>\n</head>\n<body>\n");
}

void add_page_script(Sink& out, std::string_view script) {
  out.append("<script>\n\"use strict\";\n(function () {\n").append(script);
  out.append("})();\n</script>\n");
}

}  // namespace peregrine
