# SPDX-License-Identifier: Apache-2.0
# What scripts/setup has put into the download cache. The Java grammar is the generated parser of the npm package
# tree-sitter-java, pinned to 0.23.5: its ABI 14 is the newest that Debian 12's tree-sitter library takes.
set(cache "$ENV{JCPROF_CACHE}")
if(NOT cache)
  set(cache "$ENV{HOME}/.cache/jcprof")
endif()
set(JCPROF_CACHE "${cache}" CACHE PATH "Where scripts/setup keeps downloads")
set(JCPROF_GRAMMAR ${JCPROF_CACHE}/tree-sitter-java-0.23.5/package)
set(grammar ${JCPROF_GRAMMAR}/src)
set(JCPROF_JCARDSIM ${JCPROF_CACHE}/jcardsim-3.0.5.11.jar)
if(NOT EXISTS ${grammar}/parser.c)
  message(FATAL_ERROR "tree-sitter-java 0.23.5 is not in ${JCPROF_CACHE}: run scripts/setup")
endif()
add_library(tree_sitter_java STATIC ${grammar}/parser.c)
target_include_directories(tree_sitter_java PRIVATE ${grammar})
set_target_properties(tree_sitter_java PROPERTIES POSITION_INDEPENDENT_CODE ON)
