# TLM_HAVE_CUDA: the CUDA toolkit is there. No target depends on it yet: CUDA sources are printed, and the tests find NVRTC when they
# run.

set(TLM_HAVE_CUDA FALSE)
if(TLM_CUDA STREQUAL "AUTO")
  find_package(CUDAToolkit QUIET)
  set(TLM_HAVE_CUDA ${CUDAToolkit_FOUND})
elseif(TLM_CUDA)
  find_package(CUDAToolkit REQUIRED)
  set(TLM_HAVE_CUDA TRUE)
endif()
