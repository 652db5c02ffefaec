# Language, warnings, optimisation, sanitizers: everything that every target shares.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Release or Debug" FORCE)
endif()
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG -g1")
# Debug is what the sanitizers run on: quick enough for the whole suite, assertions on.
# Never _GLIBCXX_DEBUG: it changes the layout of containers that Debian's libraries share with us.
set(CMAKE_CXX_FLAGS_DEBUG "-O1 -g1 -fno-omit-frame-pointer -D_GLIBCXX_ASSERTIONS")

# Looked for once: a ccache that is installed later, with what the tests need, would change every
# compile command, and all would be compiled twice.
if(NOT DEFINED CACHE{CCACHE_PROGRAM})
  find_program(CCACHE_PROGRAM ccache)
endif()
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # ccache keeps objects made with a precompiled header only when told that its macros are no risk.
  set(CMAKE_CXX_COMPILER_LAUNCHER
    "${CMAKE_COMMAND}" -E env CCACHE_SLOPPINESS=pch_defines,time_macros "${CCACHE_PROGRAM}")
endif()

add_library(trellis_options INTERFACE)
if(TRELLIS_HARDENED AND CMAKE_BUILD_TYPE STREQUAL "Release" AND NOT TRELLIS_SANITIZE)
  # A defect ends the process where it happens instead of somewhere later.
  target_compile_definitions(trellis_options INTERFACE _GLIBCXX_ASSERTIONS _FORTIFY_SOURCE=2)
  # The core has no buffers on its stacks; server/, which reads what strangers send, guards more.
  target_compile_options(trellis_options INTERFACE
    -fPIE -fstack-clash-protection -fcf-protection=full
    $<IF:$<STREQUAL:$<TARGET_PROPERTY:NAME>,trellis_server>,-fstack-protector-strong,-fstack-protector>)
  # Assertions make functions larger, so that gcc inlines fewer of them: the cycle benchmarks take
  # back 0.7 %.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(trellis_options INTERFACE
      $<$<NOT:$<STREQUAL:$<TARGET_PROPERTY:NAME>,trellis_server>>:--param=inline-unit-growth=100>)
  endif()
  target_link_options(trellis_options INTERFACE
    -pie -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack)
endif()
target_include_directories(trellis_options INTERFACE "${PROJECT_SOURCE_DIR}")
target_compile_options(trellis_options INTERFACE
  # Equal results from every instruction set a kernel is cloned for.
  -ffp-contract=off
  # No path of the building machine in the binary; tests get TRELLIS_SOURCE_DIR.
  "-ffile-prefix-map=${PROJECT_SOURCE_DIR}/="
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
  -Wnon-virtual-dtor -Woverloaded-virtual -Wimplicit-fallthrough
  # Designated initialisers leave members to their defaults on purpose.
  -Wno-missing-field-initializers)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # std::string's operator+ makes gcc 12 warn about itself (GCC bug 105651).
  target_compile_options(trellis_options INTERFACE -Wno-restrict)
  # What ccache needs to see of a precompiled header.
  target_compile_options(trellis_options INTERFACE -fpch-preprocess)
  # A tenth of the compile time was garbage collection in sources that are compiled many at once.
  target_compile_options(trellis_options INTERFACE
    --param=ggc-min-expand=400 --param=ggc-min-heapsize=1000000)
  # For targets with a precompiled header: gcc 12 then takes the system's headers for ours.
  set(TRELLIS_PRECOMPILED_OPTIONS
    -Wno-maybe-uninitialized -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread)
endif()
if(TRELLIS_WERROR)
  target_compile_options(trellis_options INTERFACE -Werror)
endif()

if(TRELLIS_SANITIZE)
  # target_clones resolves functions before a sanitizer has started: kernels read this macro
  # and are compiled once.
  target_compile_definitions(trellis_options INTERFACE TRELLIS_SANITIZED=1)
  target_compile_options(trellis_options INTERFACE
    "-fsanitize=${TRELLIS_SANITIZE}" -fno-sanitize-recover=all)
  target_link_options(trellis_options INTERFACE "-fsanitize=${TRELLIS_SANITIZE}")
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # Half of the compile time, for what AddressSanitizer stops anyway or no code here can do.
    string(FIND "${TRELLIS_SANITIZE}" undefined with_undefined)
    if(NOT with_undefined EQUAL -1)
      target_compile_options(trellis_options INTERFACE -fno-sanitize=null,object-size,alignment,vptr)
    endif()
    # Instrumented code confuses gcc's flow analysis: these are judged in the release build.
    target_compile_options(trellis_options INTERFACE
      -Wno-maybe-uninitialized -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread)
  endif()
endif()
if(TRELLIS_FUZZ)
  target_compile_options(trellis_options INTERFACE -fsanitize=fuzzer-no-link)
endif()

find_program(MOLD_PROGRAM mold)
if(MOLD_PROGRAM)
  target_link_options(trellis_options INTERFACE -fuse-ld=mold)
endif()
