#include "server/kube/cluster_access.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

namespace trellis {

Result<std::string> GivenText::read() const {
  if (file.empty()) return text;
  std::ifstream stream(file, std::ios::binary);
  std::string content((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
  if (!stream.is_open()) return error(file + ": " + std::strerror(errno));
  if (content.empty()) return error(file + ": found nothing, expected a text");
  return content;
}

}  // namespace trellis
