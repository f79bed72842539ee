# cmake -DCMAKE_TOOLCHAIN_FILE=..: 64-bit ARM under Linux (Debian: g++-aarch64-linux-gnu), on the CPU alone.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)

# ctest runs the programs under QEMU, where there is one.
find_program(ENDO_QEMU NAMES qemu-aarch64-static qemu-aarch64)
if(ENDO_QEMU)
  set(CMAKE_CROSSCOMPILING_EMULATOR ${ENDO_QEMU} -L /usr/aarch64-linux-gnu)
endif()

# Only headers without a system's part (Eigen) come from this machine.
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE BOTH)
