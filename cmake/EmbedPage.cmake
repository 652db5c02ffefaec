# Run with cmake -P; see TrellisPage.cmake.

set(types html:text/html css:text/css js:text/javascript)

# The bytes as the inside of a char array.
function(characters hex result)
  string(REGEX REPLACE "(................................................................)" "\\1\n"
    hex "${hex}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," hex "${hex}")
  set(${result} "${hex}" PARENT_SCOPE)
endfunction()

cmake_path(GET OUTPUT PARENT_PATH directory)
file(MAKE_DIRECTORY "${directory}")
set(arrays "")
set(rows "")
set(index 0)
foreach(file IN LISTS FILES)
  cmake_path(GET file FILENAME name)
  cmake_path(GET file EXTENSION LAST_ONLY suffix)
  string(REPLACE "." "" suffix "${suffix}")
  set(path "/page/${name}")
  if(name STREQUAL "index.html")
    set(path "/")
  endif()
  foreach(type IN LISTS types)
    if(type MATCHES "^${suffix}:(.*)$")
      set(content_type "${CMAKE_MATCH_1}; charset=utf-8")
    endif()
  endforeach()

  set(packed "${directory}/${name}.gz")
  execute_process(COMMAND "${GZIP_PROGRAM}" -9nc "${file}" OUTPUT_FILE "${packed}"
    COMMAND_ERROR_IS_FATAL ANY)
  file(READ "${file}" plain HEX)
  file(READ "${packed}" gzipped HEX)
  characters("${plain}" plain)
  characters("${gzipped}" gzipped)
  file(SHA256 "${file}" digest)
  string(SUBSTRING "${digest}" 0 16 digest)

  string(APPEND arrays "inline constexpr char kPlain${index}[] = {\n${plain}};\n"
    "inline constexpr char kGzipped${index}[] = {\n${gzipped}};\n")
  string(APPEND rows "    PagePart{\"${path}\", \"${content_type}\", \"W/\\\"${digest}\\\"\",\n"
    "             {kPlain${index}, sizeof kPlain${index}}, {kGzipped${index}, sizeof kGzipped${index}}},\n")
  math(EXPR index "${index} + 1")
endforeach()

file(WRITE "${OUTPUT}" "// Generated from server/page/.\n#pragma once\n\n#include \"server/page/page.h\"\n\n"
  "namespace trellis {\n\n${arrays}\ninline constexpr PagePart kPageParts[] = {\n${rows}};\n\n"
  "}  // namespace trellis\n")
