# The Java bindings' sources and headers, added to the library.
find_package(Java REQUIRED COMPONENTS Development)
if(NOT JAVA_HOME AND DEFINED ENV{JAVA_HOME})
  set(JAVA_HOME $ENV{JAVA_HOME})
elseif(NOT JAVA_HOME)
  # The JDK of the javac that was found, whose name may be a chain of links.
  file(REAL_PATH ${Java_JAVAC_EXECUTABLE} ENDO_JAVAC)
  cmake_path(GET ENDO_JAVAC PARENT_PATH ENDO_JDK_BIN)
  cmake_path(GET ENDO_JDK_BIN PARENT_PATH JAVA_HOME)
endif()
if(WIN32)
  # jni.h is the same everywhere; what it needs of Windows stands beside us.
  set(JNI_INCLUDE_DIRS ${JAVA_HOME}/include ${CMAKE_CURRENT_SOURCE_DIR}/windows)
elseif(APPLE)
  set(JNI_INCLUDE_DIRS ${JAVA_HOME}/include ${CMAKE_CURRENT_SOURCE_DIR}/macos)
elseif(CMAKE_CROSSCOMPILING)
  set(JNI_INCLUDE_DIRS ${JAVA_HOME}/include ${JAVA_HOME}/include/linux)
else()
  # Only jni.h is used: a headless JDK, which has no AWT, is enough.
  foreach(unused JAVA_AWT_LIBRARY JAVA_AWT_INCLUDE_PATH JAVA_JVM_LIBRARY)
    set(${unused} NotNeeded)
  endforeach()
  find_package(JNI REQUIRED)
endif()

# The prototypes come from the Java class, so that a drift between the two does not compile.
set(ENDO_NATIVE_JAVA ${CMAKE_SOURCE_DIR}/java/src/main/java/endorama/jni/Native.java)
set(ENDO_JNI_HEADERS ${CMAKE_CURRENT_BINARY_DIR}/include)
add_custom_command(
  OUTPUT ${ENDO_JNI_HEADERS}/endorama_jni_Native.h
  COMMAND ${Java_JAVAC_EXECUTABLE} -encoding UTF-8 -h ${ENDO_JNI_HEADERS}
          -d ${CMAKE_CURRENT_BINARY_DIR}/classes ${ENDO_NATIVE_JAVA}
  DEPENDS ${ENDO_NATIVE_JAVA}
  COMMENT "javac -h Native.java")

# They see the public headers alone, as any program does.
file(GLOB ENDO_JNI_SOURCES CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/native/jni/*.c)
add_library(endo_jni OBJECT ${ENDO_JNI_SOURCES} ${ENDO_JNI_HEADERS}/endorama_jni_Native.h)
target_include_directories(endo_jni PRIVATE ${CMAKE_SOURCE_DIR}/native/include ${ENDO_JNI_HEADERS} ${JNI_INCLUDE_DIRS})
target_compile_options(endo_jni PRIVATE $<TARGET_PROPERTY:endo_flags,INTERFACE_COMPILE_OPTIONS>)
target_sources(endorama PRIVATE $<TARGET_OBJECTS:endo_jni>)
