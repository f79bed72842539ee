# cmake -DCMAKE_TOOLCHAIN_FILE=..: macOS 11 or newer on 64-bit ARM by Zig's C compiler (Clang), which has the system's headers
# and stubs; on the CPU alone. ENDO_ZIG: where its program is.
set(CMAKE_SYSTEM_NAME Darwin)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES ENDO_ZIG)
find_program(ENDO_ZIG NAMES zig REQUIRED)
set(ENDO_TARGET aarch64-macos.11.0)
set(CMAKE_C_COMPILER ${ENDO_ZIG} cc)
set(CMAKE_CXX_COMPILER ${ENDO_ZIG} c++)
foreach(language C CXX)
  set(CMAKE_${language}_COMPILER_TARGET ${ENDO_TARGET})
  set(CMAKE_${language}_FLAGS_INIT "-target ${ENDO_TARGET}")
endforeach()
# Without symbols that are for debuggers.
set(CMAKE_SHARED_LINKER_FLAGS_INIT "-s")
# Zig's linker signs what it makes, and archives by itself.
file(WRITE ${CMAKE_BINARY_DIR}/zig-ar "#!/bin/sh\nexec '${ENDO_ZIG}' ar \"$@\"\n")
file(WRITE ${CMAKE_BINARY_DIR}/zig-ranlib "#!/bin/sh\nexec '${ENDO_ZIG}' ranlib \"$@\"\n")
file(CHMOD ${CMAKE_BINARY_DIR}/zig-ar ${CMAKE_BINARY_DIR}/zig-ranlib PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
set(CMAKE_AR ${CMAKE_BINARY_DIR}/zig-ar CACHE FILEPATH "")
set(CMAKE_RANLIB ${CMAKE_BINARY_DIR}/zig-ranlib CACHE FILEPATH "")
set(CMAKE_INSTALL_NAME_TOOL true)
set(CMAKE_OSX_SYSROOT "")
set(CMAKE_OSX_DEPLOYMENT_TARGET "")

# Only headers without a system's part (Eigen) come from this machine.
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE BOTH)
