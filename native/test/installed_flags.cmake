# What a stranger's program needs to compile with the library as installed.cmake leaves it in BUILD: prefix, libraries (their
# folder) and flags. The flags stand in the pkg-config file; the tool itself need not be there.
set(prefix ${BUILD}/installed)
file(GLOB_RECURSE pc ${prefix}/*/endorama.pc)
get_filename_component(folder ${pc} DIRECTORY)
get_filename_component(libraries ${folder}/.. ABSOLUTE)
find_program(pkg_config pkg-config)
if(pkg_config)
  execute_process(COMMAND ${CMAKE_COMMAND} -E env PKG_CONFIG_PATH=${folder} ${pkg_config} --define-prefix --cflags --libs endorama
    OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(flags)
else()
  set(flags -I${prefix}/include -L${libraries} -lendorama)
endif()
