# Debian 12 packages only; nothing is downloaded at build time (tools/packages.txt lists them).

find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)

find_package(absl REQUIRED)
find_package(Boost 1.74 REQUIRED)
find_package(tl-expected REQUIRED)
pkg_check_modules(re2 REQUIRED re2)
pkg_check_modules(xxhash REQUIRED IMPORTED_TARGET libxxhash)

find_package(CLI11 REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(OpenSSL REQUIRED)
find_package(prometheus-cpp REQUIRED)
find_package(ZLIB REQUIRED)
pkg_check_modules(httplib REQUIRED IMPORTED_TARGET cpp-httplib)
pkg_check_modules(minizip REQUIRED IMPORTED_TARGET minizip)
pkg_check_modules(zstd REQUIRED IMPORTED_TARGET libzstd)
pkg_check_modules(yaml REQUIRED IMPORTED_TARGET yaml-0.1)

if(TRELLIS_BUILD_TESTS)
  find_package(GTest REQUIRED)
  find_package(benchmark REQUIRED)
  find_package(rapidcheck REQUIRED)
  find_package(ZLIB REQUIRED)
  # Debian's own: its packages (tools/packages.txt) are not seen by another one in the PATH.
  set(Python3_EXECUTABLE /usr/bin/python3)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
endif()
