/* Copyright 2026 The nnburst authors
 * SPDX-License-Identifier: Apache-2.0 */

/**
 * \file
 * Classifies an image with a MobileNet v1 0.25/128 through NNAPI's C API: C99, with the installed
 * headers alone. The program builds the network itself. Its weights are computed and were not
 * trained, so its classes mean nothing; its work is that of a trained one.
 *
 *     cc -std=c99 nnapi_classify.c $(pkg-config --cflags --libs nnapi) -o nnapi_classify
 *     ./nnapi_classify [--device NAME] [IMAGE]
 *
 * IMAGE has 128 x 128 pixels of 3 bytes, red, green and blue, and nothing else; without one the
 * program makes a pattern. Without --device the runtime chooses.
 */

#define _GNU_SOURCE /* memfd_create */

#include <android/NeuralNetworks.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum {
    kImageSize = 128,
    kPixelBytes = 3,
    kImageFloats = kImageSize * kImageSize * kPixelBytes,
    kClasses = 1001,
    kFeatures = 256,
    kWeightBytes = 4 << 20, /* all weights take 1.9 MB */
    kAlignment = 64,
    kExecutions = 20
};

/** Ends the program if a call of NNAPI fails. */
#define CHECK(call)                                                            \
    do {                                                                       \
        const int checkedResult = (call);                                      \
        if (checkedResult != ANEURALNETWORKS_NO_ERROR) {                       \
            fprintf(stderr, "%s: result code %d\n", #call, checkedResult);     \
            exit(1);                                                           \
        }                                                                      \
    } while (0)

static void endWith(const char* message) {
    fprintf(stderr, "nnapi_classify: %s\n", message);
    exit(1);
}

/* ---- Memory that the driver maps */

/** Shared memory in this process and in NNAPI. */
typedef struct {
    ANeuralNetworksMemory* memory;
    unsigned char* bytes;
    size_t sizeBytes;
} SharedMemory;

/** Sealed memory is used in place. Other shared memory would be copied for each execution. */
static SharedMemory makeSharedMemory(size_t sizeBytes) {
    SharedMemory shared = {NULL, NULL, sizeBytes};
    const int fd = memfd_create("nnapi_classify", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd < 0 || ftruncate(fd, (off_t)sizeBytes) != 0 ||
        fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) != 0) {
        endWith("cannot make memory");
    }
    shared.bytes = mmap(NULL, sizeBytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (shared.bytes == MAP_FAILED) {
        endWith("cannot map memory");
    }
    CHECK(ANeuralNetworksMemory_createFromFd(sizeBytes, PROT_READ | PROT_WRITE, fd, 0,
                                             &shared.memory));
    close(fd); /* NNAPI has a duplicate */
    return shared;
}

static void freeSharedMemory(SharedMemory* shared) {
    ANeuralNetworksMemory_free(shared->memory);
    munmap(shared->bytes, shared->sizeBytes);
}

/* ---- The network */

/** A model under construction. */
typedef struct {
    ANeuralNetworksModel* model;
    SharedMemory weights;
    size_t usedBytes;
    uint32_t operandCount;
    uint32_t randomState;
} Builder;

static uint32_t addOperand(Builder* builder, int32_t code, uint32_t rank,
                           const uint32_t* dimensions) {
    ANeuralNetworksOperandType type;
    memset(&type, 0, sizeof(type));
    type.type = code;
    type.dimensionCount = rank;
    type.dimensions = dimensions;
    CHECK(ANeuralNetworksModel_addOperand(builder->model, &type));
    return builder->operandCount++;
}

static uint32_t addImage(Builder* builder, uint32_t size, uint32_t channels) {
    const uint32_t dimensions[4] = {1, size, size, channels};
    return addOperand(builder, ANEURALNETWORKS_TENSOR_FLOAT32, 4, dimensions);
}

static uint32_t addInt(Builder* builder, int32_t value) {
    const uint32_t operand = addOperand(builder, ANEURALNETWORKS_INT32, 0, NULL);
    CHECK(ANeuralNetworksModel_setOperandValue(builder->model, (int32_t)operand, &value,
                                               sizeof(value)));
    return operand;
}

static uint32_t addFloat(Builder* builder, float value) {
    const uint32_t operand = addOperand(builder, ANEURALNETWORKS_FLOAT32, 0, NULL);
    CHECK(ANeuralNetworksModel_setOperandValue(builder->model, (int32_t)operand, &value,
                                               sizeof(value)));
    return operand;
}

/** A number from -1 to 1 (xorshift). */
static float nextRandom(Builder* builder) {
    uint32_t x = builder->randomState;
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    builder->randomState = x;
    return (float)x / 2147483648.0F - 1.0F;
}

/** Weights of `fanIn` inputs for each output, scaled so that activations keep their size. */
static uint32_t addWeights(Builder* builder, uint32_t rank, const uint32_t* dimensions,
                           uint32_t fanIn) {
    const uint32_t operand =
        addOperand(builder, ANEURALNETWORKS_TENSOR_FLOAT32, rank, dimensions);
    size_t count = 1;
    for (uint32_t i = 0; i < rank; ++i) {
        count *= dimensions[i];
    }
    const size_t bytes = count * sizeof(float);
    if (builder->usedBytes + bytes > builder->weights.sizeBytes) {
        endWith("too many weights");
    }
    float scale = 1.0F;
    while (scale * scale * (float)fanIn > 6.0F) {
        scale *= 0.9F;
    }
    float* values = (float*)(void*)(builder->weights.bytes + builder->usedBytes);
    for (size_t i = 0; i < count; ++i) {
        values[i] = fanIn == 0 ? 0.0F : scale * nextRandom(builder);
    }
    CHECK(ANeuralNetworksModel_setOperandValueFromMemory(
        builder->model, (int32_t)operand, builder->weights.memory, builder->usedBytes, bytes));
    builder->usedBytes = (builder->usedBytes + bytes + kAlignment - 1) / kAlignment * kAlignment;
    return operand;
}

static uint32_t addBias(Builder* builder, uint32_t channels) {
    return addWeights(builder, 1, &channels, 0);
}

static uint32_t addConvolution(Builder* builder, uint32_t input, uint32_t size, uint32_t window,
                               uint32_t stride, uint32_t channelsIn, uint32_t channelsOut) {
    const uint32_t filter[4] = {channelsOut, window, window, channelsIn};
    const uint32_t inputs[7] = {input,
                                addWeights(builder, 4, filter, window * window * channelsIn),
                                addBias(builder, channelsOut),
                                addInt(builder, ANEURALNETWORKS_PADDING_SAME),
                                addInt(builder, (int32_t)stride),
                                addInt(builder, (int32_t)stride),
                                addInt(builder, ANEURALNETWORKS_FUSED_RELU6)};
    const uint32_t output = addImage(builder, size / stride, channelsOut);
    CHECK(ANeuralNetworksModel_addOperation(builder->model, ANEURALNETWORKS_CONV_2D, 7, inputs, 1,
                                            &output));
    return output;
}

static uint32_t addDepthwise(Builder* builder, uint32_t input, uint32_t size, uint32_t stride,
                             uint32_t channels) {
    const uint32_t filter[4] = {1, 3, 3, channels};
    const uint32_t inputs[8] = {input,
                                addWeights(builder, 4, filter, 9),
                                addBias(builder, channels),
                                addInt(builder, ANEURALNETWORKS_PADDING_SAME),
                                addInt(builder, (int32_t)stride),
                                addInt(builder, (int32_t)stride),
                                addInt(builder, 1),
                                addInt(builder, ANEURALNETWORKS_FUSED_RELU6)};
    const uint32_t output = addImage(builder, size / stride, channels);
    CHECK(ANeuralNetworksModel_addOperation(builder->model, ANEURALNETWORKS_DEPTHWISE_CONV_2D, 8,
                                            inputs, 1, &output));
    return output;
}

/** The mean over the image, a fully connected layer, and probabilities. */
static uint32_t addClassifier(Builder* builder, uint32_t input, uint32_t size) {
    const uint32_t pooling[7] = {input,
                                 addInt(builder, ANEURALNETWORKS_PADDING_VALID),
                                 addInt(builder, 1),
                                 addInt(builder, 1),
                                 addInt(builder, (int32_t)size),
                                 addInt(builder, (int32_t)size),
                                 addInt(builder, ANEURALNETWORKS_FUSED_NONE)};
    const uint32_t pooled = addImage(builder, 1, kFeatures);
    CHECK(ANeuralNetworksModel_addOperation(builder->model, ANEURALNETWORKS_AVERAGE_POOL_2D, 7,
                                            pooling, 1, &pooled));
    const uint32_t weights[2] = {kClasses, kFeatures};
    const uint32_t classes[2] = {1, kClasses};
    const uint32_t connected[4] = {pooled, addWeights(builder, 2, weights, kFeatures),
                                   addBias(builder, kClasses),
                                   addInt(builder, ANEURALNETWORKS_FUSED_NONE)};
    const uint32_t logits = addOperand(builder, ANEURALNETWORKS_TENSOR_FLOAT32, 2, classes);
    CHECK(ANeuralNetworksModel_addOperation(builder->model, ANEURALNETWORKS_FULLY_CONNECTED, 4,
                                            connected, 1, &logits));
    const uint32_t softmax[2] = {logits, addFloat(builder, 1.0F)};
    const uint32_t output = addOperand(builder, ANEURALNETWORKS_TENSOR_FLOAT32, 2, classes);
    CHECK(ANeuralNetworksModel_addOperation(builder->model, ANEURALNETWORKS_SOFTMAX, 2, softmax, 1,
                                            &output));
    return output;
}

/** Float[1, 128, 128, 3] to the probabilities of 1001 classes. */
static void buildNetwork(Builder* builder) {
    /* stride and channels of the 13 pairs of a depthwise and a pointwise convolution */
    static const uint32_t kStrides[13] = {1, 2, 1, 2, 1, 2, 1, 1, 1, 1, 1, 2, 1};
    static const uint32_t kChannels[13] = {16,  32,  32,  64,  64,  128, 128,
                                           128, 128, 128, 128, 256, 256};
    CHECK(ANeuralNetworksModel_create(&builder->model));
    builder->weights = makeSharedMemory(kWeightBytes);
    const uint32_t input = addImage(builder, kImageSize, kPixelBytes);
    uint32_t size = kImageSize / 2;
    uint32_t channels = 8;
    uint32_t last = addConvolution(builder, input, kImageSize, 3, 2, kPixelBytes, channels);
    for (int i = 0; i < 13; ++i) {
        last = addDepthwise(builder, last, size, kStrides[i], channels);
        size /= kStrides[i];
        last = addConvolution(builder, last, size, 1, 1, channels, kChannels[i]);
        channels = kChannels[i];
    }
    const uint32_t output = addClassifier(builder, last, size);
    CHECK(ANeuralNetworksModel_identifyInputsAndOutputs(builder->model, 1, &input, 1, &output));
    CHECK(ANeuralNetworksModel_finish(builder->model));
}

/* ---- Compiling and running it */

/** The device `name`; prints all devices if there is none. */
static const ANeuralNetworksDevice* findDevice(const char* name) {
    uint32_t count = 0;
    CHECK(ANeuralNetworks_getDeviceCount(&count));
    for (uint32_t i = 0; i < count; ++i) {
        ANeuralNetworksDevice* device = NULL;
        const char* deviceName = NULL;
        CHECK(ANeuralNetworks_getDevice(i, &device));
        CHECK(ANeuralNetworksDevice_getName(device, &deviceName));
        if (strcmp(name, deviceName) == 0) {
            return device;
        }
        fprintf(stderr, "device: %s\n", deviceName);
    }
    endWith("no device has that name");
    return NULL;
}

static ANeuralNetworksCompilation* compileFor(ANeuralNetworksModel* model, const char* name) {
    ANeuralNetworksCompilation* compilation = NULL;
    if (name == NULL) {
        CHECK(ANeuralNetworksCompilation_create(model, &compilation));
    } else {
        const ANeuralNetworksDevice* device = findDevice(name);
        CHECK(ANeuralNetworksCompilation_createForDevices(model, &device, 1, &compilation));
    }
    CHECK(ANeuralNetworksCompilation_setPreference(compilation,
                                                   ANEURALNETWORKS_PREFER_SUSTAINED_SPEED));
    CHECK(ANeuralNetworksCompilation_finish(compilation));
    return compilation;
}

/** Fills the input with the pixels of `path`, from -1 to 1, or with a pattern. */
static void readImage(const char* path, float* input) {
    unsigned char* pixels = malloc(kImageFloats);
    if (pixels == NULL) {
        endWith("out of memory");
    }
    if (path == NULL) {
        for (int i = 0; i < kImageFloats; ++i) {
            pixels[i] = (unsigned char)(i * 7 % 251);
        }
    } else {
        FILE* file = fopen(path, "rb");
        if (file == NULL) {
            perror(path);
            exit(1);
        }
        if (fread(pixels, 1, kImageFloats, file) != kImageFloats) {
            endWith("the image must have 128 x 128 pixels of 3 bytes");
        }
        fclose(file);
    }
    for (int i = 0; i < kImageFloats; ++i) {
        input[i] = (float)pixels[i] / 127.5F - 1.0F;
    }
    free(pixels);
}

static double nowInMicroseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec * 1e-3;
}

/** Computes `kExecutions` times in a burst and prints the duration of the fastest. */
static void computeInBurst(ANeuralNetworksCompilation* compilation,
                           ANeuralNetworksExecution* execution) {
    ANeuralNetworksBurst* burst = NULL;
    CHECK(ANeuralNetworksBurst_create(compilation, &burst));
    double fastest = 1e12;
    for (int i = 0; i < kExecutions; ++i) {
        const double before = nowInMicroseconds();
        CHECK(ANeuralNetworksExecution_burstCompute(execution, burst));
        const double duration = nowInMicroseconds() - before;
        fastest = duration < fastest ? duration : fastest;
    }
    printf("%d executions in a burst, the fastest took %.0f us\n", kExecutions, fastest);
    ANeuralNetworksBurst_free(burst);
}

static void printLikeliest(const float* probabilities) {
    double sum = 0;
    int likeliest = 0;
    for (int i = 0; i < kClasses; ++i) {
        sum += probabilities[i];
        likeliest = probabilities[i] > probabilities[likeliest] ? i : likeliest;
    }
    printf("class %d with probability %.4f; all probabilities add up to %.3f\n", likeliest,
           probabilities[likeliest], sum);
    if (sum < 0.99 || sum > 1.01) {
        endWith("the probabilities must add up to 1");
    }
}

int main(int argc, char** argv) {
    const char* deviceName = NULL;
    const char* image = NULL;
    for (int i = 1; i < argc; ++i) {
        if (strcmp(argv[i], "--device") == 0 && i + 1 < argc) {
            deviceName = argv[++i];
        } else {
            image = argv[i];
        }
    }

    Builder builder;
    memset(&builder, 0, sizeof(builder));
    builder.randomState = 2463534242U;
    buildNetwork(&builder);
    ANeuralNetworksCompilation* compilation = compileFor(builder.model, deviceName);

    const size_t inputBytes = kImageFloats * sizeof(float);
    const size_t outputBytes = kClasses * sizeof(float);
    SharedMemory arguments = makeSharedMemory(inputBytes + outputBytes);
    readImage(image, (float*)(void*)arguments.bytes);
    ANeuralNetworksExecution* execution = NULL;
    CHECK(ANeuralNetworksExecution_create(compilation, &execution));
    CHECK(ANeuralNetworksExecution_setReusable(execution, true));
    CHECK(ANeuralNetworksExecution_setInputFromMemory(execution, 0, NULL, arguments.memory, 0,
                                                      inputBytes));
    CHECK(ANeuralNetworksExecution_setOutputFromMemory(execution, 0, NULL, arguments.memory,
                                                       inputBytes, outputBytes));
    computeInBurst(compilation, execution);
    printLikeliest((const float*)(const void*)(arguments.bytes + inputBytes));

    ANeuralNetworksExecution_free(execution);
    freeSharedMemory(&arguments);
    ANeuralNetworksCompilation_free(compilation);
    ANeuralNetworksModel_free(builder.model);
    freeSharedMemory(&builder.weights);
    return 0;
}
