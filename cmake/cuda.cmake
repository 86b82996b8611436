# TLM_HAVE_CUDA: the CUDA toolkit is there. Nothing but tests and the CUDA backend asks; a build without it has every target.

set(TLM_HAVE_CUDA FALSE)
if(TLM_CUDA STREQUAL "AUTO")
  find_package(CUDAToolkit QUIET)
  set(TLM_HAVE_CUDA ${CUDAToolkit_FOUND})
elseif(TLM_CUDA)
  find_package(CUDAToolkit REQUIRED)
  set(TLM_HAVE_CUDA TRUE)
endif()
