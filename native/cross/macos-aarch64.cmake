set(PROCESSOR aarch64)
include(${CMAKE_CURRENT_LIST_DIR}/macos.cmake)
