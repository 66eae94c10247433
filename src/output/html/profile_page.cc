#include "output/html/profile_page.h"

#include "output/html/page_frame.h"
#include "output/html/page_parts.h"

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
  begin_page(out, text.title, page_style());
  out.append(page_body());
  out.append("<script id=\"data\" type=\"text/plain\">").append(data_of(content, text));
  out.append("</script>\n");
  add_page_script(out, page_script());
  out.append("</body>\n</html>\n");
}

}  // namespace peregrine
