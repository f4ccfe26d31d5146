# SPDX-License-Identifier: Apache-2.0
# Settings and warnings as interface targets; every target of ours links both.
add_library(jcprof_settings INTERFACE)
target_compile_features(jcprof_settings INTERFACE cxx_std_20)
target_include_directories(jcprof_settings INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_definitions(jcprof_settings INTERFACE JCPROF_VERSION="${PROJECT_VERSION}")
# All alike, as the headers that are compiled once ask.
target_compile_options(jcprof_settings INTERFACE -pthread)
if(JCPROF_SANITIZE)
  target_compile_options(jcprof_settings INTERFACE -fsanitize=${JCPROF_SANITIZE} -fno-omit-frame-pointer
                                                   -fno-sanitize-recover=all)
  target_link_options(jcprof_settings INTERFACE -fsanitize=${JCPROF_SANITIZE})
endif()
if(JCPROF_FUZZ)
  target_compile_options(jcprof_settings INTERFACE -fsanitize=fuzzer-no-link)
  target_link_options(jcprof_settings INTERFACE -fsanitize=fuzzer-no-link)
endif()
if(JCPROF_COVERAGE)
  target_compile_options(jcprof_settings INTERFACE --coverage)
  target_link_options(jcprof_settings INTERFACE --coverage)
endif()

# What makes a fault of ours hard to use by those whose files we read. Sanitizers watch the same, and _FORTIFY_SOURCE wants
# optimised code.
# All alike, libraries too: headers that are compiled once must fit.
target_compile_options(jcprof_settings INTERFACE -fPIE)
target_link_options(jcprof_settings INTERFACE -pie LINKER:-z,relro,-z,now)
if(NOT JCPROF_SANITIZE)
  target_compile_options(jcprof_settings INTERFACE -fstack-protector-strong -fstack-clash-protection)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
    target_compile_options(jcprof_settings INTERFACE -fcf-protection)
  endif()
  if(CMAKE_BUILD_TYPE MATCHES "^Rel")
    target_compile_options(jcprof_settings
      INTERFACE $<$<NOT:$<BOOL:$<TARGET_PROPERTY:JCPROF_UNOPTIMISED>>>:-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=3>)
  endif()
endif()

add_library(jcprof_warnings INTERFACE)
target_compile_options(jcprof_warnings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
                                                 -Wnon-virtual-dtor -Wold-style-cast -Woverloaded-virtual
                                                 -Wno-missing-field-initializers)  # every field has a default
# Where a library's sources are compiled some at a time (CMakePresets.json), they see each other's constants, and g++
# takes them for headers.
if(CMAKE_UNITY_BUILD)
  target_compile_options(jcprof_warnings INTERFACE -Wno-shadow $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endif()
if(JCPROF_WERROR)
  target_compile_options(jcprof_warnings INTERFACE -Werror)
endif()

# The headers that most of our sources read, and that take longest, compiled once. Sources name what they use all the
# same: scripts/lint reads them without, some at a time.
file(CONFIGURE OUTPUT headers.cpp CONTENT "")
add_library(jcprof_headers OBJECT ${CMAKE_CURRENT_BINARY_DIR}/headers.cpp)
target_link_libraries(jcprof_headers PRIVATE jcprof_settings jcprof_warnings fmt::fmt)
target_precompile_headers(jcprof_headers PRIVATE
  <algorithm> <chrono> <filesystem> <functional> <map> <memory> <optional> <set> <span> <string> <string_view> <utility>
  <vector> <fmt/format.h>)

# jcprof_library(NAME sources… [PUBLIC libs…] [PRIVATE libs…])
function(jcprof_library name)
  cmake_parse_arguments(arg "" "" "SOURCES;PUBLIC;PRIVATE" ${ARGN})
  add_library(${name} STATIC ${arg_SOURCES})
  target_link_libraries(${name} PUBLIC jcprof_settings ${arg_PUBLIC} PRIVATE jcprof_warnings ${arg_PRIVATE})
  target_precompile_headers(${name} REUSE_FROM jcprof_headers)
  # Half of a source's compilation is that of its headers.
  set_target_properties(${name} PROPERTIES UNITY_BUILD_BATCH_SIZE 16)
endfunction()

# jcprof_optimise_less(): for folders whose code mostly waits, for devices, for compilers and for libclang. It takes a third less
# time to compile.
macro(jcprof_optimise_less)
  string(REPLACE -O2 -O1 CMAKE_CXX_FLAGS_RELEASE "${CMAKE_CXX_FLAGS_RELEASE}")
endmacro()

# What tests test is optimised; optimising themselves takes half of their build.
function(jcprof_unoptimised name)
  target_compile_options(${name} PRIVATE -O0)
  set_target_properties(${name} PROPERTIES JCPROF_UNOPTIMISED ON)
endfunction()

# jcprof_test(NAME [REAL | MIXED] [ALONE] [WAITING] SOURCES … [APART …] LIBS …): one Catch2 executable, each TEST_CASE a ctest of its own.
# REAL: it looks at a real clock, waits for a simulator or daemon, or needs a virtual machine or a browser (scripts/test --all);
# MIXED: cases with the tag [real] do;
# ALONE: nothing else runs beside it; WAITING: it mostly waits, so that a processor has time for two;
# APART: sources with names that others have too, which are not compiled with them.
function(jcprof_test name)
  cmake_parse_arguments(arg "REAL;MIXED;ALONE;WAITING" "" "SOURCES;APART;LIBS" ${ARGN})
  add_executable(${name} ${arg_SOURCES} ${arg_APART})
  set_source_files_properties(${arg_APART} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  target_link_libraries(${name} PRIVATE jcprof_test_main jcprof_warnings nlohmann_json::nlohmann_json fmt::fmt ${arg_LIBS})
  jcprof_unoptimised(${name})
  target_precompile_headers(${name} REUSE_FROM jcprof_test_headers)
  target_compile_definitions(${name} PRIVATE JCPROF_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
                                             JCPROF_JCARDSIM="${JCPROF_JCARDSIM}"
                                             JCPROF_BINARY_DIR="${PROJECT_BINARY_DIR}")
  set(processors 2)
  if(arg_WAITING)
    set(processors 1)
  endif()
  # Tests of whole programs take longest. They begin first, so that none runs alone at the end.
  set(cost 0)
  if(jcprof_end_to_end IN_LIST arg_LIBS)
    set(cost 10)
  endif()
  # discover(LABEL [TEST_SPEC TAG])
  macro(discover label)
    catch_discover_tests(${name} ${ARGN} TEST_PREFIX "${name}: " PROPERTIES TIMEOUT 600 RUN_SERIAL ${arg_ALONE}
                         LABELS ${label} PROCESSORS ${processors} COST ${cost}
                         SKIP_REGULAR_EXPRESSION "SKIPPED:|SKIP SGX SDK:")
  endmacro()
  if(arg_MIXED)
    discover(plain TEST_SPEC "~[real]")
    discover(real TEST_SPEC "[real]")
  elseif(arg_REAL)
    discover(real)
  else()
    discover(plain)
  endif()
endfunction()
