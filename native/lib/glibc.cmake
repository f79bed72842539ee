# A library that was linked on a new Linux asks for that system's C library: where glibc gave a function a second version
# (exp in 2.29, pthread_create in 2.34), the linker takes the newest. Clusters run RHEL 8, whose glibc is 2.28. So the
# linker meets, before the system's libraries, empty ones of the same names that hold these functions in their first
# version, which every glibc still has. test/glibc.cmake looks at what comes out.
#
# The linker passes over the system's library of a name that it has met: each has all the functions that may be asked for,
# and one that is missing does not link.
#
# The arithmetic is the same: since 2.28 exp, log and pow of both versions share their code, the first only sets errno,
# too. hypot, older than 2.35, may differ in its last bit.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set(ENDO_GLIBC_FIRST GLIBC_2.2.5)
  set(ENDO_GLIBC_FIRST_dlmopen GLIBC_2.3.4) # which came later
else()
  set(ENDO_GLIBC_FIRST GLIBC_2.17)
endif()

# An empty shared library `lib<name>.so.<major>` with the functions that follow.
function(endo_glibc_library name major)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/glibc)
  set(map "")
  foreach(symbol IN LISTS ARGN)
    set(first ${ENDO_GLIBC_FIRST})
    if(DEFINED ENDO_GLIBC_FIRST_${symbol})
      set(first ${ENDO_GLIBC_FIRST_${symbol}})
    endif()
    list(APPEND versions ${first})
    string(APPEND of_${first} "${symbol}; ")
  endforeach()
  list(REMOVE_DUPLICATES versions)
  foreach(version IN LISTS versions)
    string(APPEND map "${version} { global: ${of_${version}}};\n")
  endforeach()
  file(CONFIGURE OUTPUT ${folder}/${name}.map CONTENT "${map}")
  set(code "/* Only their names are read, by the linker. */\n")
  foreach(symbol IN LISTS ARGN)
    string(APPEND code "__asm__(\".globl ${symbol}\\n.type ${symbol}, %function\\n${symbol}:\");\n")
  endforeach()
  file(CONFIGURE OUTPUT ${folder}/${name}.c CONTENT "${code}")
  add_library(endo_glibc_${name} SHARED ${folder}/${name}.c)
  set_target_properties(endo_glibc_${name} PROPERTIES OUTPUT_NAME ${name} SOVERSION ${major}
    LIBRARY_OUTPUT_DIRECTORY ${folder} LINK_DEPENDS ${folder}/${name}.map)
  target_link_options(endo_glibc_${name} PRIVATE -nostdlib -Wl,--version-script=${folder}/${name}.map)
  # By its path: the program that runs must never look for libraries in this folder.
  target_link_options(endorama PRIVATE $<TARGET_FILE:endo_glibc_${name}>)
  set_property(TARGET endorama APPEND PROPERTY LINK_DEPENDS $<TARGET_FILE:endo_glibc_${name}>)
  add_dependencies(endorama endo_glibc_${name})
endfunction()

target_link_options(endorama PRIVATE -Wl,--push-state,--no-as-needed)
set(mathematics acos acosh asin asinh atan atan2 atanh cbrt ceil cos cosh erf erfc exp exp2 expm1 fabs fdim floor fma fmax
  fmin fmod hypot lgamma llrint llround log log10 log1p log2 lrint lround nearbyint nextafter pow remainder rint round
  sin sincos sinh sqrt tan tanh tgamma trunc)
set(single ${mathematics})
list(TRANSFORM single APPEND f)
endo_glibc_library(m 6 ${mathematics} ${single})
# Ours, C++'s and the CUDA runtime's.
endo_glibc_library(pthread 0 pthread_create pthread_join pthread_detach pthread_once pthread_kill pthread_sigmask
  __pthread_key_create pthread_key_create pthread_key_delete pthread_getspecific pthread_setspecific
  pthread_mutex_trylock pthread_mutexattr_init pthread_mutexattr_destroy pthread_mutexattr_settype
  pthread_mutexattr_setpshared pthread_condattr_setpshared
  pthread_rwlock_init pthread_rwlock_destroy pthread_rwlock_rdlock pthread_rwlock_tryrdlock
  pthread_rwlock_timedrdlock pthread_rwlock_wrlock pthread_rwlock_trywrlock pthread_rwlock_timedwrlock
  pthread_rwlock_unlock pthread_rwlockattr_init pthread_rwlockattr_destroy pthread_rwlockattr_setpshared
  pthread_spin_init pthread_spin_destroy pthread_spin_lock pthread_spin_trylock pthread_spin_unlock
  sem_init sem_destroy sem_post sem_wait sem_trywait sem_timedwait)
endo_glibc_library(dl 2 dlopen dlclose dlsym dlvsym dlerror dladdr dlmopen)
if(ENDO_HAS_CUDA)
  endo_glibc_library(rt 1 shm_open shm_unlink)
endif()
target_link_options(endorama PRIVATE -Wl,--pop-state)

# What has no first version: the static C++ library asks for it, and is content with this.
target_sources(endorama PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/glibc.c)
