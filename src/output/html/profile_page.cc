#include "output/html/profile_page.h"

#include "output/html/page_parts.h"
#include "output/svg/flame_graph.h"

namespace peregrine {

namespace {

std::string data_of(const PageContent& content, const PageText& text) {
  PackedText data('{' + profile_json(content, text) + ",\n");
  data.append(content.code ? content.code() : PackedText(code_json({}, {})));
  data.append(PackedText("}\n"));
  return data.base64();
}

}  // namespace

void print_profile_page(Sink& out, const PageContent& content, const PageText& text) {
  out.append("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
  out.append("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
  // Even if a name were interpreted as markup, the page could neither load nor send anything.
  out.append(
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'unsafe-inline'; "
      "style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\">\n");
  out.append("<title>").append(xml_text(text.title)).append("</title>\n<style>\n").append(page_style());
  out.append("</style>\n</head>\n<body>\n").append(page_body());
  out.append("<script id=\"data\" type=\"text/plain\">").append(data_of(content, text));
  out.append("</script>\n<script>\n\"use strict\";\n(function () {\n").append(page_script());
  out.append("})();\n</script>\n</body>\n</html>\n");
}

}  // namespace peregrine
