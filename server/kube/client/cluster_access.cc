#include "server/kube/client/cluster_access.h"

#include "server/system/whole_file.h"

namespace trellis {

Result<std::string> GivenText::read() const {
  if (file.empty()) return text;
  Result<std::string> content = read_small_file(file);
  std::string found = content ? "nothing" : content.error().message;
  if (content && !content->empty()) return content;
  return error(file + ": found " + found + ", expected a file that can be read, with a text in it");
}

}  // namespace trellis
