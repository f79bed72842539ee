# Installs the library into a folder of its own, builds the example as a stranger would, and runs it.
# cmake -DBUILD=.. -DSOURCE=.. -DCC=.. -P installed.cmake
set(prefix ${BUILD}/installed)
file(REMOVE_RECURSE ${prefix})
execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix} OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)

# The flags stand in the pkg-config file; the tool itself need not be there.
file(GLOB_RECURSE pc ${prefix}/*/endorama.pc)
get_filename_component(folder ${pc} DIRECTORY)
find_program(pkg_config pkg-config)
if(pkg_config)
  execute_process(COMMAND ${CMAKE_COMMAND} -E env PKG_CONFIG_PATH=${folder} ${pkg_config} --define-prefix --cflags --libs endorama
    OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(flags)
else()
  set(flags -I${prefix}/include -L${folder}/.. -lendorama)
endif()
execute_process(COMMAND ${CC} -std=c11 -Wall -Wextra -Werror ${SOURCE}/native/example/register.c -o ${prefix}/register ${flags}
  COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_COMMAND} -E env LD_LIBRARY_PATH=${folder}/.. ${prefix}/register
  OUTPUT_VARIABLE said COMMAND_ERROR_IS_FATAL ANY)
message("${said}")
if(NOT said MATCHES "moved by -?[0-9]+\\.[0-9]+, -?[0-9]+\\.[0-9]+ px; quality 0\\.9")
  message(FATAL_ERROR "the example says something else")
endif()
