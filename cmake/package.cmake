# SPDX-License-Identifier: Apache-2.0
# What is installed beside the programs, and the .deb that is made of it all (scripts/package).
set(headers jcprof.h jcprof_log.h jcprof_plugin.h jcprof_record.h)
list(TRANSFORM headers PREPEND templates/)
install(FILES ${headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES docs/schemas/jcprof-profile-1.json DESTINATION ${CMAKE_INSTALL_DATADIR}/jcprof)
install(FILES README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs FILES_MATCHING PATTERN "*.md" PATTERN "*.png" PATTERN man EXCLUDE PATTERN schemas EXCLUDE)
install(FILES bench/README.md DESTINATION ${CMAKE_INSTALL_DOCDIR}/bench)
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DOCDIR}
        PATTERN jcprof-out EXCLUDE PATTERN lib EXCLUDE PATTERN wordcount EXCLUDE PATTERN __pycache__ EXCLUDE)

# optee-vm with what it makes the agent of; in PATH, and where the examples, which lie beside scripts in the sources, look for it.
set(vm_dir ${CMAKE_INSTALL_DATADIR}/jcprof)
install(PROGRAMS scripts/optee-vm DESTINATION ${vm_dir}/scripts)
install(FILES scripts/optee-vm.init scripts/optee-vm.counter.c DESTINATION ${vm_dir}/scripts)
install(FILES CMakeLists.txt DESTINATION ${vm_dir})
install(FILES templates/jcprof_plugin.h DESTINATION ${vm_dir}/templates)
install(DIRECTORY agents DESTINATION ${vm_dir})
install(DIRECTORY src/core DESTINATION ${vm_dir}/src)
install(FILES programs/main_guard.cpp programs/main_guard.hpp DESTINATION ${vm_dir}/programs)
file(RELATIVE_PATH from_doc ${CMAKE_INSTALL_FULL_DOCDIR} ${CMAKE_INSTALL_FULL_DATADIR}/jcprof/scripts)
file(RELATIVE_PATH from_bin ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_DATADIR}/jcprof/scripts/optee-vm)
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/links)
file(CREATE_LINK ${from_doc} ${PROJECT_BINARY_DIR}/links/scripts SYMBOLIC)
file(CREATE_LINK ${from_bin} ${PROJECT_BINARY_DIR}/links/optee-vm SYMBOLIC)
install(FILES ${PROJECT_BINARY_DIR}/links/scripts DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES ${PROJECT_BINARY_DIR}/links/optee-vm DESTINATION ${CMAKE_INSTALL_BINDIR})

install(FILES completions/jcprof DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES completions/_jcprof DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
install(FILES completions/jcprof.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
# bash looks for the command's name.
foreach(name annotate gen record run)
  install(FILES completions/jcprof DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME jcprof-${name})
endforeach()

# As Debian wants it: what is linked into the programs is named, and the Apache License is the system's.
file(READ ${JCPROF_GRAMMAR}/LICENSE grammar_licence)
string(REGEX REPLACE "\n\n" "\n.\n" grammar_licence "${grammar_licence}")
string(REGEX REPLACE "(^|\n)(.)" "\\1 \\2" grammar_licence "${grammar_licence}")
configure_file(cmake/copyright.in ${PROJECT_BINARY_DIR}/copyright @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/copyright DESTINATION ${CMAKE_INSTALL_DOCDIR})
string(TIMESTAMP package_date "%a, %d %b %Y %H:%M:%S +0000" UTC)
set(package_contact "The authors of jcprof <jcprof@localhost>")
configure_file(cmake/changelog.in ${PROJECT_BINARY_DIR}/changelog @ONLY)
add_custom_command(
  OUTPUT ${PROJECT_BINARY_DIR}/changelog.gz
  COMMAND gzip -9nkf ${PROJECT_BINARY_DIR}/changelog
  DEPENDS ${PROJECT_BINARY_DIR}/changelog VERBATIM)
add_custom_target(changelog-gz ALL DEPENDS ${PROJECT_BINARY_DIR}/changelog.gz)
install(FILES ${PROJECT_BINARY_DIR}/changelog.gz DESTINATION ${CMAKE_INSTALL_DOCDIR})

# All that `cmake --install` wants, and no test.
add_custom_target(installed DEPENDS jcprof jcprof-gen jcprof-agent-card jcprof-agent-ecall jcprof-record
                                    jcprof-record-hostclock man changelog-gz)
if(TARGET jcprof-agent-teec)
  add_dependencies(installed jcprof-agent-teec)
endif()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME jcprof)
set(CPACK_PACKAGE_CONTACT "${package_contact}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "times code in smart cards, enclaves and TAs line by line")
set(CPACK_PACKAGE_DESCRIPTION "It puts numbered traps into a copy of the sources, has the target stop at
one of them at a time, times the command from the client's side, and
subtracts. Each time has a 95 % interval. For Java Card applets, SGX
enclaves, trusted applications of OP-TEE, and programs in C and C++.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# libclang reads its own stddef.h.
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libclang-common-19-dev")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "gcc, g++")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "bash-completion, default-jdk-headless, g++-aarch64-linux-gnu, man-db, pcscd, qemu-system-arm")
set(CPACK_STRICT_PERMISSIONS ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
include(CPack)
