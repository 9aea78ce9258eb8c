// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "options.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <ostream>

#include "nnburst/version.h"
#include "support/thread_option.h"

namespace nnburst::serve {
namespace {

constexpr int kUsage = 2;

constexpr const char* kDescription =
    "Serves the models of a folder by the Open Inference Protocol (v2), over gRPC and REST, in\n"
    "front of an nnburst driver.";

constexpr const char* kFooter = R"(
The folder has MODEL/VERSION/model.tflite for each version of each model, as Triton's model
repositories have; VERSION is a number, and the largest one is used unless a request names another.

SIGTERM or SIGINT ends the server when the requests that run have ended; while models are loaded at
the start, it ends at once. Exit status: 0; 1 if it could not start; 2 for wrong arguments.

Example:
  nnburst-serve models --grpc unix:/run/inference.sock --http none
)";

/// What a command line says beside numbers and files.
struct Texts {
    std::string grpc = "127.0.0.1:8001";
    std::string http = "127.0.0.1:8000";
    std::string modelControl = "none";
    std::string sharedMemory = "auto";
    std::uint64_t driverWaitMs = 2000;
    std::uint64_t drainSeconds = 10;
};

void addAddresses(CLI::App& app, Options& options, Texts& texts) {
    app.add_option(
           "--grpc", texts.grpc,
           "Address for gRPC: HOST:PORT, [IPV6]:PORT, unix:PATH or none; port 0 is a free one")
        ->type_name("ADDRESS")
        ->capture_default_str();
    app.add_option("--http", texts.http, "Address for REST and /metrics, likewise")
        ->type_name("ADDRESS")
        ->capture_default_str();
    CLI::Option* certificate =
        app.add_option("--tls-cert", options.tls.certificate, "Certificates of the server, PEM")
            ->type_name("FILE")
            ->check(CLI::ExistingFile.description(""));
    CLI::Option* key = app.add_option("--tls-key", options.tls.key, "Its private key, PEM")
                           ->type_name("FILE")
                           ->check(CLI::ExistingFile.description(""))
                           ->needs(certificate);
    certificate->needs(key);
    app.add_option("--tls-client-ca", options.tls.clientCa,
                   "Clients need a certificate that one of these has signed, PEM")
        ->type_name("FILE")
        ->check(CLI::ExistingFile.description(""))
        ->needs(certificate);
    app.add_flag("--insecure", options.isInsecure,
                 "Allow addresses that other machines reach without TLS");
}

void addModels(CLI::App& app, Options& options, Texts& texts) {
    app.add_option("--device", options.device,
                   "spawn: a driver process, started again if it is lost; local: in this process;\n"
                   "PATH: the driver that listens on that socket")
        ->type_name("spawn|local|PATH")
        ->capture_default_str();
    tools::addThreadOption(app, "--threads", options.threads);
    app.add_option("--driver-wait", texts.driverWaitMs,
                   "How long requests wait for the next driver when one is lost")
        ->check(CLI::Range(0, 3'600'000).description(""))
        ->type_name("MS")
        ->capture_default_str();
    app.add_option(
           "--model-control", texts.modelControl,
           "none: all models are loaded at the start; explicit: clients load and unload them")
        ->check(CLI::IsMember({"none", "explicit"}).description(""))
        ->type_name("none|explicit")
        ->capture_default_str();
    app.add_option("--load-model", options.models,
                   "A model to load at the start, with --model-control explicit")
        ->type_name("NAME");
    app.add_option("--instances", options.instances,
                   "Sessions of each version of a model: requests that run at a time")
        ->check(CLI::Range(1, 64).description(""))
        ->type_name("N")
        ->capture_default_str();
}

void addLimits(CLI::App& app, Options& options, Texts& texts) {
    app.add_option("--max-waiting", options.maximumWaiting,
                   "Requests that wait for a session of one version of a model; more are refused")
        ->check(CLI::Range(0, 100'000).description(""))
        ->type_name("N")
        ->capture_default_str();
    app.add_option("--max-request-bytes", options.maximumRequestBytes, "Largest request")
        ->check(CLI::Range(1024, 2'000'000'000).description(""))
        ->type_name("BYTES")
        ->capture_default_str();
    app.add_option("--http-connections", options.httpConnections,
                   "Connections of REST that are served at a time; each takes a thread")
        ->check(CLI::Range(1, 10'000).description(""))
        ->type_name("N")
        ->capture_default_str();
    app.add_option("--shared-memory", texts.sharedMemory,
                   "Whether clients may register shared memory of this machine; auto: if only\n"
                   "programs of this machine can reach the server")
        ->check(CLI::IsMember({"auto", "on", "off"}).description(""))
        ->type_name("auto|on|off")
        ->capture_default_str();
    app.add_option("--drain-time", texts.drainSeconds,
                   "How long the server waits at its end for requests that run")
        ->check(CLI::Range(0, 3600).description(""))
        ->type_name("S")
        ->capture_default_str();
}

Outcome<std::optional<Address>> addressOf(const std::string& text) {
    if (text == "none") {
        return std::optional<Address>();
    }
    NNBURST_SERVE_TRY_ASSIGN(Address address, parseAddress(text));
    return std::optional<Address>(std::move(address));
}

/// Whether the file has a certificate in PEM. cpp-httplib would start without one; gRPC would not
/// say why it fails.
bool hasCertificate(const std::string& path) {
    const std::unique_ptr<BIO, decltype(&BIO_free)> file(BIO_new_file(path.c_str(), "r"),
                                                         &BIO_free);
    const std::unique_ptr<X509, decltype(&X509_free)> certificate(
        file != nullptr ? PEM_read_bio_X509(file.get(), nullptr, nullptr, nullptr) : nullptr,
        &X509_free);
    ERR_clear_error();
    return certificate != nullptr;
}

Outcome<> complete(Options& options, const Texts& texts) {
    NNBURST_SERVE_TRY_ASSIGN(options.grpc, addressOf(texts.grpc));
    NNBURST_SERVE_TRY_ASSIGN(options.http, addressOf(texts.http));
    if (!options.grpc && !options.http) {
        return refuse(Code::INVALID_ARGUMENT, "--grpc none --http none: one must be an address");
    }
    bool isLocal = true;
    for (const auto& address : {options.grpc, options.http}) {
        if (!address || address->isLocal()) {
            continue;
        }
        isLocal = false;
        if (!options.tls.isEnabled() && !options.isInsecure) {
            return refuse(
                Code::INVALID_ARGUMENT,
                "address {}: other machines reach it: must have --tls-cert and --tls-key, "
                "or --insecure",
                address->text());
        }
    }
    if (!options.tls.clientCa.empty() && !hasCertificate(options.tls.clientCa)) {
        return refuse(Code::INVALID_ARGUMENT, "--tls-client-ca {}: must have a certificate, PEM",
                      options.tls.clientCa);
    }
    options.isExplicit = texts.modelControl == "explicit";
    if (!options.isExplicit && !options.models.empty()) {
        return refuse(Code::INVALID_ARGUMENT,
                      "--load-model {}: must be used with --model-control explicit",
                      options.models.front());
    }
    if (options.threads != 1 && options.device != "spawn" && options.device != "local") {
        return refuse(Code::INVALID_ARGUMENT,
                      "--threads: must be used with --device spawn or local: the driver on {} has "
                      "its own",
                      options.device);
    }
    options.allowsSharedMemory =
        texts.sharedMemory == "on" || (texts.sharedMemory == "auto" && isLocal);
    options.driverWait = std::chrono::milliseconds(texts.driverWaitMs);
    options.drainTime = std::chrono::seconds(texts.drainSeconds);
    return {};
}

}  // namespace

std::variant<Options, int> parseOptions(int argc, const char* const* argv, std::ostream& out,
                                        std::ostream& err) {
    Options options;
    Texts texts;
    CLI::App app(kDescription, "nnburst-serve");
    app.set_version_flag("--version", "nnburst-serve " NNBURST_VERSION);
    app.footer(kFooter);
    app.add_option("FOLDER", options.repository, "The folder of the models")
        ->type_name("")
        ->required();
    addAddresses(app, options, texts);
    addModels(app, options, texts);
    addLimits(app, options, texts);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error, out, err) == 0 ? 0 : kUsage;
    }
    if (const Outcome<> completed = complete(options, texts); !completed) {
        err << "nnburst-serve: " << completed.error().message << '\n';
        return kUsage;
    }
    return options;
}

}  // namespace nnburst::serve
