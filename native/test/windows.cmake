# endorama.dll asks Windows alone for what it needs, and moves no vector where the stack is not aligned for it.
# cmake -DLIBRARY=.. -DOBJDUMP=.. -P windows.cmake
cmake_policy(VERSION 3.22)
set(libraries kernel32 msvcrt advapi32 user32)
execute_process(COMMAND ${OBJDUMP} -p ${LIBRARY} OUTPUT_VARIABLE headers COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "DLL Name: [^\n]+" needed "${headers}")
if(NOT needed)
  message(FATAL_ERROR "${LIBRARY}: no library is named; is it one itself?")
endif()
foreach(one IN LISTS needed)
  string(REGEX REPLACE "DLL Name: (.*)\\.[dD][lL][lL]" "\\1" name "${one}")
  string(TOLOWER "${name}" name)
  if(NOT name IN_LIST libraries)
    message(SEND_ERROR "${one}: not on every Windows")
  endif()
endforeach()

# Moves of 32 and 64 bytes that fault where their place is not aligned (cross/windows-amd64.cmake).
execute_process(COMMAND ${OBJDUMP} -d --no-show-raw-insn ${LIBRARY} COMMAND grep "%[yz]mm"
  COMMAND grep -oE "vmov(aps|apd|dqa|dqa32|dqa64|ups|upd|dqu|dqu8|dqu16|dqu32|dqu64) .*\\(" COMMAND sort COMMAND uniq -c
  OUTPUT_VARIABLE moves COMMAND_ERROR_IS_FATAL ANY)
if(NOT moves MATCHES "vmovdqu" OR NOT moves MATCHES "%zmm")
  message(FATAL_ERROR "${LIBRARY}: no code with vectors")
endif()
if(moves MATCHES "[^\n]*vmov(ap|dqa)[^\n]*")
  message(SEND_ERROR "moves that need an aligned stack, such as: ${CMAKE_MATCH_0}")
endif()
