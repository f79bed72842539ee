# cmake -DCMAKE_TOOLCHAIN_FILE=..: 64-bit Windows by mingw-w64 (Debian: g++-mingw-w64-x86-64-posix), on the CPU alone.
set(CMAKE_SYSTEM_NAME Windows)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
# The variant whose threads are POSIX's.
find_program(CMAKE_C_COMPILER NAMES x86_64-w64-mingw32-gcc-posix x86_64-w64-mingw32-gcc REQUIRED)
find_program(CMAKE_CXX_COMPILER NAMES x86_64-w64-mingw32-g++-posix x86_64-w64-mingw32-g++ REQUIRED)

# Windows keeps the stack at 16 bytes, and GCC nevertheless puts vectors of 32 and 64 on it with moves that fault where
# these are not aligned (its bug 54412; Debian's compiler is mended). The assembler of binutils 2.38 or newer writes the
# other moves instead, which are as fast where they are. test/windows.cmake looks for any that are left.
set(ENDO_WINDOWS_FLAGS "-Wa,-muse-unaligned-vector-move")
# Messages are printed as C11 says, with the formats that the build for Linux has checked.
string(APPEND ENDO_WINDOWS_FLAGS " -D__USE_MINGW_ANSI_STDIO=1 -Wno-format -Wno-format-extra-args")
set(CMAKE_C_FLAGS_INIT ${ENDO_WINDOWS_FLAGS})
set(CMAKE_CXX_FLAGS_INIT ${ENDO_WINDOWS_FLAGS})
# One file: GCC's libraries and threads are in it.
set(CMAKE_EXE_LINKER_FLAGS_INIT "-static")
set(CMAKE_SHARED_LINKER_FLAGS_INIT "-static")

# ctest runs the programs under Wine, where there is one.
find_program(ENDO_WINE NAMES wine64 wine64-stable PATHS /usr/lib/wine)
if(ENDO_WINE)
  set(CMAKE_CROSSCOMPILING_EMULATOR ${ENDO_WINE})
endif()

# Only headers without a system's part (Eigen) come from this machine.
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE BOTH)
