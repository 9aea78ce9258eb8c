# Peers whose packages need not be installed (tools/dependencies --bench). What is not found is
# skipped, by name, in the tables of nnburst-bench; peers_packaged.cpp says what to install.

if(NNBURST_SANITIZER)
    # These libraries are built without, which the sanitizers take for errors of theirs.
    target_compile_definitions(nnburst-bench PRIVATE NNBURST_BENCH_SANITIZED)
    return()
endif()

find_package(iceoryx_posh QUIET)
find_path(ACL_INCLUDE_DIR sys/acl.h)  # iceoryx's headers include it
if(iceoryx_posh_FOUND AND ACL_INCLUDE_DIR)
    target_sources(nnburst-bench PRIVATE peers_iceoryx.cpp)
    target_compile_definitions(nnburst-bench PRIVATE NNBURST_BENCH_ICEORYX)
    target_link_libraries(nnburst-bench PRIVATE
        iceoryx_posh::iceoryx_posh iceoryx_posh::iceoryx_posh_roudi)
endif()

pkg_check_modules(ZEROMQ QUIET IMPORTED_TARGET libzmq)
if(ZEROMQ_FOUND)
    target_sources(nnburst-bench PRIVATE peers_zeromq.cpp)
    target_compile_definitions(nnburst-bench PRIVATE NNBURST_BENCH_ZEROMQ)
    target_link_libraries(nnburst-bench PRIVATE PkgConfig::ZEROMQ)
endif()

pkg_check_modules(GRPC QUIET IMPORTED_TARGET grpc++ protobuf)
find_program(PROTOC protoc)
find_program(GRPC_CPP_PLUGIN grpc_cpp_plugin)
if(GRPC_FOUND AND PROTOC AND GRPC_CPP_PLUGIN)
    set(generated ${CMAKE_CURRENT_BINARY_DIR}/generated)
    file(MAKE_DIRECTORY ${generated})
    add_custom_command(
        OUTPUT ${generated}/peers_grpc.pb.cc ${generated}/peers_grpc.pb.h
               ${generated}/peers_grpc.grpc.pb.cc ${generated}/peers_grpc.grpc.pb.h
        COMMAND ${PROTOC} --proto_path=${CMAKE_CURRENT_SOURCE_DIR}
                --cpp_out=${generated} --grpc_out=${generated}
                --plugin=protoc-gen-grpc=${GRPC_CPP_PLUGIN} peers_grpc.proto
        DEPENDS peers_grpc.proto)
    add_library(nnburst_bench_grpc STATIC
        ${generated}/peers_grpc.pb.cc ${generated}/peers_grpc.grpc.pb.cc)
    target_compile_options(nnburst_bench_grpc PRIVATE -w)
    target_include_directories(nnburst_bench_grpc SYSTEM PUBLIC ${generated})
    target_link_libraries(nnburst_bench_grpc PUBLIC PkgConfig::GRPC)
    target_sources(nnburst-bench PRIVATE peers_grpc.cpp)
    target_compile_definitions(nnburst-bench PRIVATE NNBURST_BENCH_GRPC)
    target_link_libraries(nnburst-bench PRIVATE nnburst_bench_grpc)
endif()
