# Installs the library into a folder of its own, builds the example as a stranger would, and runs it.
# cmake -DBUILD=.. -DSOURCE=.. -DCC=.. -P installed.cmake
file(REMOVE_RECURSE ${BUILD}/installed)
execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --prefix ${BUILD}/installed OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
include(${CMAKE_CURRENT_LIST_DIR}/installed_flags.cmake)
execute_process(COMMAND ${CC} -std=c11 -Wall -Wextra -Werror ${SOURCE}/native/example/register.c -o ${prefix}/register ${flags}
  COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_COMMAND} -E env LD_LIBRARY_PATH=${libraries} ${prefix}/register
  OUTPUT_VARIABLE said COMMAND_ERROR_IS_FATAL ANY)
message("${said}")
if(NOT said MATCHES "moved by -?[0-9]+\\.[0-9]+, -?[0-9]+\\.[0-9]+ px; quality 0\\.9")
  message(FATAL_ERROR "the example says something else")
endif()
