# Sets KVPROOF_DEVICE_CODE to whether device code is built. AUTO: with the tests, if there is an nvcc; never under a
# sanitizer, which would watch the wrong processor.
set(KVPROOF_CUDA AUTO CACHE STRING "Build the device code: AUTO (where nvcc is found), ON or OFF")
set_property(CACHE KVPROOF_CUDA PROPERTY STRINGS AUTO ON OFF)

set(KVPROOF_DEVICE_CODE OFF CACHE INTERNAL "Whether device code is built")
if(KVPROOF_CUDA STREQUAL "OFF" OR KVPROOF_SANITIZE)
    return()
endif()
if(KVPROOF_CUDA STREQUAL "AUTO" AND NOT KVPROOF_TESTS)
    return()
endif()

if(NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX})
    find_program(KVPROOF_NVCC_PROGRAM nvcc HINTS /usr/local/cuda/bin) # its installer puts it on no PATH
    if(KVPROOF_NVCC_PROGRAM)
        # not CMAKE_CUDA_COMPILER: check_language would take it for one that works
        set(ENV{CUDACXX} ${KVPROOF_NVCC_PROGRAM})
    endif()
endif()
# before enable_language, which else tries the oldest; `native` fails where there is no device
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
    set(CMAKE_CUDA_ARCHITECTURES 80-real 90)
endif()
include(CheckLanguage)
check_language(CUDA)
if(NOT CMAKE_CUDA_COMPILER)
    if(KVPROOF_CUDA STREQUAL "ON")
        message(FATAL_ERROR "KVPROOF_CUDA is ON, but no nvcc was found")
    endif()
    return()
endif()
enable_language(CUDA)
# CMake 3.25.1 does not know this standard of this language
if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
    set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
    set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
endif()
set(CMAKE_CUDA_STANDARD 20)
set(CMAKE_CUDA_STANDARD_REQUIRED ON)
set(KVPROOF_DEVICE_CODE ON CACHE INTERNAL "Whether device code is built")
