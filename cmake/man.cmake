# SPDX-License-Identifier: Apache-2.0
# Man pages of docs/man with the options that the built programs name themselves. jcprof_man(PAGE TARGET [VERB]).
find_program(SCDOC scdoc)
add_custom_target(man ALL)
if(NOT SCDOC)
  message(STATUS "no man pages: there is no scdoc (scripts/setup)")
endif()

function(jcprof_man page target)
  if(NOT SCDOC)
    return()
  endif()
  set(text ${PROJECT_SOURCE_DIR}/docs/man/${page}.1.scd)
  set(made ${PROJECT_BINARY_DIR}/man/${page}.1)
  add_custom_command(
    OUTPUT ${made} ${made}.gz
    COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/man
    COMMAND ${PROJECT_SOURCE_DIR}/scripts/man-page ${text} ${PROJECT_VERSION} $<TARGET_FILE:${target}> ${ARGN} > ${made}
    COMMAND gzip -9nkf ${made}
    DEPENDS ${text} ${PROJECT_SOURCE_DIR}/docs/man/files ${PROJECT_SOURCE_DIR}/docs/man/status
            ${PROJECT_SOURCE_DIR}/scripts/man-page ${target}
    COMMENT "Writing ${page}.1" VERBATIM)
  add_custom_target(man-${page} DEPENDS ${made})
  add_dependencies(man man-${page})
  install(FILES ${made}.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
endfunction()

jcprof_man(jcprof jcprof)
foreach(verb annotate check diff doctor export fleet gen history import init layers leak profile query record run strip)
  jcprof_man(jcprof-${verb} jcprof ${verb})
endforeach()
jcprof_man(jcprof-agent-card jcprof-agent-card)
jcprof_man(jcprof-agent-ecall jcprof-agent-ecall)
if(TARGET jcprof-agent-teec)
  jcprof_man(jcprof-agent-teec jcprof-agent-teec)
endif()
