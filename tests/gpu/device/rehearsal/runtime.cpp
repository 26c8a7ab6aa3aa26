// The part of CUDA's runtime that the device check uses, on this processor.
#include <cuda_runtime_api.h>

#include <chrono>
#include <cstdlib>
#include <cstring>

struct CUevent_st {
    std::chrono::steady_clock::time_point time;
};

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) {
    *count = 1;
    return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int) {
    *properties = {};
    std::strcpy(properties->name, "REHEARSAL, no device");
    return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr, int) {
    *value = 1000;
    return cudaSuccess;
}
const char* cudaGetErrorString(cudaError_t) {
    return "an error";
}
cudaError_t cudaMalloc(void** at, size_t bytes) {
    *at = std::malloc(bytes);
    return *at == nullptr ? cudaErrorMemoryAllocation : cudaSuccess;
}
cudaError_t cudaFree(void* at) {
    std::free(at);
    return cudaSuccess;
}
cudaError_t cudaMemset(void* at, int value, size_t bytes) {
    std::memset(at, value, bytes);
    return cudaSuccess;
}
cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
    std::memcpy(to, from, bytes);
    const bool fault = std::getenv("KVPROOF_REHEARSAL_FAULT") != nullptr;
    if (fault && kind == cudaMemcpyDeviceToHost) static_cast<unsigned char*>(to)[bytes / 2] ^= 1U;
    return cudaSuccess;
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, cudaStream_t) {
    return cudaMemcpy(to, from, bytes, kind);
}
cudaError_t cudaDeviceSynchronize() {
    return cudaSuccess;
}
cudaError_t cudaEventCreate(cudaEvent_t* event) {
    *event = new CUevent_st;
    return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
    delete event;
    return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t) {
    event->time = std::chrono::steady_clock::now();
    return cudaSuccess;
}
cudaError_t cudaEventSynchronize(cudaEvent_t) {
    return cudaSuccess;
}
cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t begin, cudaEvent_t end) {
    *ms = std::chrono::duration<float, std::milli>(end->time - begin->time).count();
    return cudaSuccess;
}
}
