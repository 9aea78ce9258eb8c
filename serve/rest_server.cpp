// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "rest_server.h"

#include <httplib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <charconv>
#include <optional>
#include <thread>
#include <utility>

namespace nnburst::serve {
namespace {

constexpr const char* kJsonBytes = "Inference-Header-Content-Length";
/// Longer paths are refused before cpp-httplib matches them.
constexpr std::size_t kMaximumPathBytes = 1024;
/// An idle connection is closed after so many seconds, so that it does not hold a thread.
constexpr int kKeepAliveSeconds = 2;
constexpr std::size_t kRequestsOfConnection = 1'000'000;

std::optional<std::size_t> sizeOf(const std::string& text) {
    std::size_t size = 0;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, size);
    if (error != std::errc() || stop != end || text.empty()) {
        return std::nullopt;
    }
    return size;
}

void send(const RestResponse& answer, httplib::Response& response) {
    response.status = answer.status;
    if (answer.jsonBytes) {
        response.set_header(kJsonBytes, std::to_string(*answer.jsonBytes));
    }
    response.set_content(answer.body, answer.contentType);
}

void handle(const RestService& service, const httplib::Request& request, const std::string& body,
            httplib::Response& response) {
    RestRequest asked{.isPost = request.method == "POST", .path = request.path, .body = body};
    if (request.has_header(kJsonBytes)) {
        asked.jsonBytes = sizeOf(request.get_header_value(kJsonBytes));
        if (!asked.jsonBytes) {
            send({.status = 400,
                  .body = R"({"error":"Inference-Header-Content-Length: must be a number"})"},
                 response);
            return;
        }
    }
    send(service.answer(asked), response);
}

/// Answers a request with a body, which it reads itself: cpp-httplib would take one that curl says
/// is a form for a query, and refuse it above 8 KiB.
void handleBody(const RestService& service, const httplib::Request& request,
                httplib::Response& response, const httplib::ContentReader& read) {
    std::string body;
    const bool isComplete = read([&](const char* data, std::size_t size) {
        body.append(data, size);
        return true;
    });
    if (isComplete) {  // else cpp-httplib has set the status: 413 above the limit
        handle(service, request, body, response);
    }
}

/// Answers requests without a body, before cpp-httplib waits for one, and refuses others that it
/// must not read.
httplib::Server::HandlerResponse handleEarly(const RestService& service,
                                             const httplib::Request& request,
                                             httplib::Response& response) {
    using Handled = httplib::Server::HandlerResponse;
    if (request.path.size() > kMaximumPathBytes) {
        send({.status = 414, .body = R"({"error":"path: must be at most 1024 bytes"})"}, response);
        return Handled::Handled;
    }
    // Compressed bodies could grow without a limit.
    if (request.has_header("Content-Encoding") &&
        request.get_header_value("Content-Encoding") != "identity") {
        send({.status = 415, .body = R"({"error":"Content-Encoding: must be identity"})"},
             response);
        return Handled::Handled;
    }
    if (request.is_multipart_form_data()) {
        send(
            {.status = 415, .body = R"({"error":"Content-Type: must not be multipart/form-data"})"},
            response);
        return Handled::Handled;
    }
    const bool hasBody =
        request.has_header("Content-Length") || request.has_header("Transfer-Encoding");
    if (request.method == "GET" || (request.method == "POST" && !hasBody)) {
        handle(service, request, {}, response);
        return Handled::Handled;
    }
    if (request.method != "POST") {
        send({.status = 405, .body = R"({"error":"method: must be GET or POST"})"}, response);
        return Handled::Handled;
    }
    return Handled::Unhandled;
}

std::unique_ptr<httplib::Server> makeServer(const TlsOptions& tls) {
    if (!tls.isEnabled()) {
        return std::make_unique<httplib::Server>();
    }
    return std::make_unique<httplib::SSLServer>(
        tls.certificate.c_str(), tls.key.c_str(),
        tls.clientCa.empty() ? nullptr : tls.clientCa.c_str());
}

/// False if the server cannot listen there. Notes the port that it got.
bool bind(httplib::Server& server, Address& address) {
    if (address.isUnix()) {
        ::unlink(address.path.c_str());  // what an earlier server has left
        server.set_address_family(AF_UNIX);
        constexpr int kAnyPort = 80;  // means nothing to a Unix socket, but must not be 0
        return server.bind_to_port(address.path, kAnyPort);
    }
    if (address.port != 0) {
        return server.bind_to_port(address.host, address.port);
    }
    const int port = server.bind_to_any_port(address.host);
    address.port = static_cast<std::uint16_t>(std::max(port, 0));
    return port > 0;
}

}  // namespace

class RestServer::Impl {
  public:
    Impl(std::unique_ptr<httplib::Server> server, Address address)
        : server_(std::move(server)), address_(std::move(address)) {}
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;
    ~Impl() {
        if (thread_.joinable()) {
            while (!server_->is_running()) {
                std::this_thread::yield();  // stop has no effect before
            }
            server_->stop();
            thread_.join();
        }
        if (address_.isUnix()) {
            ::unlink(address_.path.c_str());
        }
    }

    bool bind() { return serve::bind(*server_, address_); }
    void listen() {
        thread_ = std::thread([this] { server_->listen_after_bind(); });
    }
    [[nodiscard]] const Address& address() const noexcept { return address_; }

  private:
    std::unique_ptr<httplib::Server> server_;
    Address address_;
    std::thread thread_;
};

RestServer::RestServer(std::unique_ptr<Impl> impl) noexcept : impl_(std::move(impl)) {}
RestServer::~RestServer() = default;

const Address& RestServer::address() const noexcept {
    return impl_->address();
}

Outcome<std::unique_ptr<RestServer>> RestServer::start(const RestService& service,
                                                       const Address& address,
                                                       const Options& options) {
    std::unique_ptr<httplib::Server> server = makeServer(options.tls);
    if (!server->is_valid()) {
        return refuse(Code::UNAVAILABLE, "REST: cannot use the certificates {} and {}",
                      options.tls.certificate, options.tls.key);
    }
    server->new_task_queue = [count = options.httpConnections] {
        return new httplib::ThreadPool(count);
    };
    server->set_payload_max_length(options.maximumRequestBytes);
    server->set_keep_alive_timeout(kKeepAliveSeconds);
    server->set_keep_alive_max_count(kRequestsOfConnection);
    // Without SO_REUSEPORT: a second server must not get part of the connections.
    server->set_socket_options([](socket_t socket) {
        const int yes = 1;
        ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
    });
    server->set_tcp_nodelay(!address.isUnix());
    server->set_pre_routing_handler([&service](const auto& request, auto& response) {
        return handleEarly(service, request, response);
    });
    server->Post(".*", [&service](const auto& request, auto& response, const auto& read) {
        handleBody(service, request, response, read);
    });
    auto impl = std::make_unique<Impl>(std::move(server), address);
    if (!impl->bind()) {
        return refuse(Code::UNAVAILABLE, "REST: cannot listen on {}", address.text());
    }
    impl->listen();
    return std::unique_ptr<RestServer>(new RestServer(std::move(impl)));
}

}  // namespace nnburst::serve
