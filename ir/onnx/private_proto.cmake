# cmake -DINPUT=onnx.proto -DOUTPUT=tlm_onnx.proto -P private_proto.cmake
# The installed ONNX schema under a package name of our own and for the lite runtime: a host process may hold its own ONNX classes
# beside ours.
file(READ ${INPUT} text)
string(REGEX REPLACE "\npackage [^;]+;" "\npackage tlm.onnx_private;" text "${text}")
string(REGEX REPLACE "\noption optimize_for[^;]*;" "" text "${text}")
if(NOT text MATCHES "\npackage tlm.onnx_private;")
  message(FATAL_ERROR "${INPUT} has no package line")
endif()
file(WRITE ${OUTPUT} "${text}\noption optimize_for = LITE_RUNTIME;\n")
