# cmake -DCMAKE_TOOLCHAIN_FILE=.. -DENDO_TARGET=.. -DENDO_ZIG=..: for another system by Zig's C compiler (Clang), which has
# the headers and stubs of many systems; on the CPU alone. ENDO_TARGET: as Zig names it, for example aarch64-macos.11.0 or
# x86_64-linux-gnu.2.28. ENDO_ZIG: where its program is, version 0.14.
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES ENDO_ZIG ENDO_TARGET)
string(REGEX REPLACE "-.*" "" CMAKE_SYSTEM_PROCESSOR ${ENDO_TARGET})
if(ENDO_TARGET MATCHES "macos")
  set(CMAKE_SYSTEM_NAME Darwin)
  set(CMAKE_OSX_SYSROOT "")
  set(CMAKE_OSX_DEPLOYMENT_TARGET "")
  set(CMAKE_INSTALL_NAME_TOOL true) # a program that CMake looks for, and that does nothing
else()
  set(CMAKE_SYSTEM_NAME Linux)
  set(CMAKE_SHARED_LINKER_FLAGS_INIT -s) # without what is for debuggers in Zig's own parts
endif()

set(CMAKE_C_COMPILER ${ENDO_ZIG} cc)
set(CMAKE_CXX_COMPILER ${ENDO_ZIG} c++)
foreach(language C CXX)
  # Without -g0 there is information for debuggers, by which OpenMP's pragmas leave the names of files in the library.
  set(CMAKE_${language}_FLAGS_INIT "-target ${ENDO_TARGET} -g0")
endforeach()
# Registers of 512 bits, which Clang 19 names apart.
set(ENDO_AVX512_OPTIONS -mevex512)
foreach(tool ar ranlib)
  file(WRITE ${CMAKE_BINARY_DIR}/zig-${tool} "#!/bin/sh\nexec '${ENDO_ZIG}' ${tool} \"$@\"\n")
  file(CHMOD ${CMAKE_BINARY_DIR}/zig-${tool} PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
endforeach()
set(CMAKE_AR ${CMAKE_BINARY_DIR}/zig-ar CACHE FILEPATH "")
set(CMAKE_RANLIB ${CMAKE_BINARY_DIR}/zig-ranlib CACHE FILEPATH "")

# Only headers without a system's part (Eigen) come from this machine.
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE BOTH)
