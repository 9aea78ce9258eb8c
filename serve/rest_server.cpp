// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "rest_server.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <httplib.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <functional>
#include <optional>
#include <string_view>
#include <thread>
#include <type_traits>
#include <utility>

#include "rest_connection.h"
#include "rest_threads.h"
#include "start_thread.h"
#include "unix_socket_file.h"

namespace nnburst::serve {
namespace {

constexpr const char* kJsonBytes = "Inference-Header-Content-Length";
/// Longer paths are refused before cpp-httplib matches them.
constexpr std::size_t kMaximumPathBytes = 1024;
/// A client that always has another request gives its thread up after so many.
constexpr std::size_t kRequestsOfConnection = 1000;
/// Connections that the kernel keeps until they are accepted.
constexpr int kBacklog = 128;
/// Interval at which connections that wait for a thread are polled.
constexpr int kPollMs = 50;
constexpr std::chrono::milliseconds kPauseAfterFailure{10};

/// The connection that this thread serves. cpp-httplib does not pass it to its handlers.
thread_local RestConnection* servedConnection = nullptr;

/// Opens what cpp-httplib keeps for servers that are derived from its own.
struct OpenedServer : httplib::Server {
    static int listener(const httplib::Server& server) {
        return (server.*(&OpenedServer::svr_sock_)).load();
    }

    /// Answers the next request on `stream`. False if the connection is lost.
    template <class Stream>
    static bool answer(httplib::Server& server, Stream& stream, bool isLast, bool& isClosed) {
        const auto process = &OpenedServer::process_request;
        if constexpr (std::is_invocable_v<decltype(process), httplib::Server&, Stream&, bool, bool&,
                                          std::nullptr_t>) {
            return std::invoke(process, server, stream, isLast, isClosed, nullptr);
        } else {  // since 0.18, with the addresses of both sides
            return std::invoke(process, server, stream, "", 0, "", 0, isLast, isClosed, nullptr);
        }
    }
};

std::optional<std::size_t> sizeOf(const std::string& text) {
    std::size_t size = 0;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, size);
    if (error != std::errc() || stop != end || text.empty()) {
        return std::nullopt;
    }
    return size;
}

void send(RestResponse answer, httplib::Response& response) {
    response.status = answer.status;
    if (answer.jsonBytes) {
        response.set_header(kJsonBytes, std::to_string(*answer.jsonBytes));
    }
    if (answer.allow != nullptr) {
        response.set_header("Allow", answer.allow);
    }
    response.body = std::move(answer.body);
    response.set_header("Content-Type", answer.contentType);
}

Method methodOf(const httplib::Request& request) {
    return request.method == "POST"                              ? Method::POST
           : request.method == "GET" || request.method == "HEAD" ? Method::GET
                                                                 : Method::OTHER;
}

void handle(const RestService& service, const httplib::Request& request, const std::string& body,
            httplib::Response& response) {
    RestRequest asked{.method = methodOf(request),
                      .path = request.path,
                      .body = body,
                      .memory = servedConnection->memory(),
                      .hasClientGone = [] { return servedConnection->hasClientGone(); }};
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

void refuseLength(httplib::Response& response) {
    send({.status = 413, .body = R"({"error":"body: must be at most --max-request-bytes"})"},
         response);
}

/// Answers a request with a body, which it reads itself: cpp-httplib would take one that curl says
/// is a form for a query, and refuse it above 8 KiB. It also has no limit for chunks.
void handleBody(const RestService& service, std::size_t maximumBytes,
                const httplib::Request& request, httplib::Response& response,
                const httplib::ContentReader& read) {
    std::string body;
    bool isTooLong = false;
    const bool isComplete = read([&](const char* data, std::size_t size) {
        isTooLong = size > maximumBytes - body.size();
        if (!isTooLong) {
            body.append(data, size);
        }
        return !isTooLong;
    });
    if (isTooLong) {
        refuseLength(response);
    } else if (servedConnection->isOverBudget()) {
        send({.status = 503, .body = R"({"error":"body: all requests have too many bytes"})"},
             response);
    } else if (isComplete) {  // else cpp-httplib has set the status: 400
        servedConnection->finishRequest();
        handle(service, request, body, response);
    }
}

/// Answers requests without a body, before cpp-httplib waits for one, and refuses others that it
/// must not read.
httplib::Server::HandlerResponse handleEarly(const RestService& service, std::size_t maximumBytes,
                                             const httplib::Request& request,
                                             httplib::Response& response) {
    using Handled = httplib::Server::HandlerResponse;
    // Browsers send it with each POST of a page, and a page must not use the servers that its
    // reader's machine reaches.
    if (request.has_header("Origin")) {
        send({.status = 403, .body = R"({"error":"Origin: requests of web pages are refused"})"},
             response);
        return Handled::Handled;
    }
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
    // cpp-httplib would read it to its end first.
    if (sizeOf(request.get_header_value("Content-Length")).value_or(0) > maximumBytes) {
        refuseLength(response);
        return Handled::Handled;
    }
    const bool hasBody =
        request.has_header("Content-Length") || request.has_header("Transfer-Encoding");
    if (methodOf(request) != Method::POST || !hasBody) {
        handle(service, request, {}, response);
        return Handled::Handled;
    }
    return Handled::Unhandled;
}

/// Sets the header from which the client learns whether its connection is closed: cpp-httplib does
/// not know.
void announceEnd(httplib::Response& response) {
    if (!servedConnection->isRequestRead()) {
        response.headers.erase("Keep-Alive");
        response.headers.erase("Connection");
        response.set_header("Connection", "close");
    }
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
    Impl(std::unique_ptr<httplib::Server> server, SSL_CTX* tls, Address address,
         const Options& options, MemoryBudget& memory)
        : server_(std::move(server)),
          tls_(tls),
          address_(std::move(address)),
          maximumBytes_(options.maximumRequestBytes),
          memory_(memory),
          threads_([this](RestConnection& connection) { serve(connection); }) {}
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;
    ~Impl() { shutDown(RestConnection::Clock::now()); }

    /// Listens, with threads for so many connections. Once.
    Outcome<> start(std::size_t connections) {
        NNBURST_SERVE_TRY(bind());
        NNBURST_SERVE_TRY(threads_.start(connections));
        NNBURST_SERVE_TRY_ASSIGN(thread_, startThread([this] { acceptAll(); }));
        return {};
    }
    void shutDown(RestConnection::Clock::time_point deadline) {
        isEnding_ = true;
        if (thread_.joinable()) {
            (void)::shutdown(listener_.get(), SHUT_RDWR);  // ends the wait of the thread
            thread_.join();
        }
        threads_.end(deadline);
    }
    [[nodiscard]] const Address& address() const noexcept { return address_; }

  private:
    Outcome<> bind() {
        UniqueFd lock;
        if (address_.isUnix()) {
            NNBURST_SERVE_TRY_ASSIGN(lock, claimSocketPath(address_.path));
        }
        errno = 0;  // cpp-httplib only says that it failed
        const bool isBound = serve::bind(*server_, address_);
        if (isBound) {
            listener_ = UniqueFd(OpenedServer::listener(*server_));
        }
        if (isBound && address_.isUnix()) {
            file_.emplace(address_.path);
        }
        if (!isBound || ::fcntl(listener_.get(), F_SETFL, O_NONBLOCK) != 0 ||
            ::fcntl(listener_.get(), F_SETFD, FD_CLOEXEC) != 0 ||
            ::listen(listener_.get(), kBacklog) != 0) {
            const char* const reason = errno != 0
                                           ? std::strerror(errno)
                                           : "it is not a valid address, or its name is not known";
            return refuse(Code::UNAVAILABLE, "REST: cannot listen on {}: {}", address_.text(),
                          reason);
        }
        return {};
    }

    /// Unlike cpp-httplib, goes on after each failure: of memory, of the system's descriptors.
    void acceptAll() {
        while (!isEnding_.load()) {
            pollfd waited{.fd = listener_.get(), .events = POLLIN, .revents = 0};
            (void)::poll(&waited, 1, threads_.isBusy() ? kPollMs : -1);
            if (!isEnding_.load() && waited.revents != 0) {
                acceptOne();
            }
            threads_.makeRoom();
        }
    }

    void acceptOne() {
        UniqueFd socket(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
        if (socket) {
            const int yes = 1;
            if (!address_.isUnix()) {
                (void)::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
            }
            threads_.add(
                std::make_unique<RestConnection>(std::move(socket), tls_, maximumBytes_, memory_));
        } else if (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED) {
            if (!std::exchange(hasFailed_, true)) {
                fmt::print(stderr, "nnburst-serve: REST: cannot accept: {}\n",
                           std::strerror(errno));
            }
            std::this_thread::sleep_for(kPauseAfterFailure);
            return;
        }
        hasFailed_ = false;
    }

    void serve(RestConnection& connection) {
        servedConnection = &connection;
        bool isGood = connection.accept();
        for (std::size_t i = 1; isGood && connection.readHead(); ++i) {
            const bool isLast = i >= kRequestsOfConnection || threads_.isBusy();
            bool isClosed = false;
            isGood = OpenedServer::answer(*server_, connection, isLast, isClosed) && !isClosed &&
                     !isLast && connection.isRequestRead();
        }
        connection.close();
    }

    const std::unique_ptr<httplib::Server> server_;
    SSL_CTX* const tls_;  ///< of server_; null without TLS
    Address address_;
    const std::size_t maximumBytes_;
    MemoryBudget& memory_;
    UniqueFd listener_;
    std::optional<UnixSocketFile> file_;  ///< of listener_
    std::atomic<bool> isEnding_ = false;
    bool hasFailed_ = false;  ///< the last accept; used by thread_
    std::thread thread_;
    RestThreads threads_;
};

RestServer::RestServer(std::unique_ptr<Impl> impl) noexcept : impl_(std::move(impl)) {}
RestServer::~RestServer() = default;

const Address& RestServer::address() const noexcept {
    return impl_->address();
}

void RestServer::shutDown(std::chrono::steady_clock::time_point deadline) {
    impl_->shutDown(deadline);
}

Outcome<std::unique_ptr<RestServer>> RestServer::start(const RestService& service,
                                                       const Address& address,
                                                       const Options& options) {
    std::unique_ptr<httplib::Server> server = makeServer(options.tls);
    if (!server->is_valid()) {
        return refuse(Code::UNAVAILABLE, "REST: cannot use the certificates {} and {}",
                      options.tls.certificate, options.tls.key);
    }
    // Without SO_REUSEPORT: a second server must not get part of the connections.
    server->set_socket_options([](socket_t socket) {
        const int yes = 1;
        ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
    });
    const std::size_t maximumBytes = options.maximumRequestBytes;
    server->set_payload_max_length(maximumBytes);
    // Only the limits that cpp-httplib sends to clients: acceptAll and serve do the work.
    server->set_keep_alive_timeout(RestConnection::kIdleTime.count());
    server->set_keep_alive_max_count(kRequestsOfConnection);
    server->set_pre_routing_handler([&service, maximumBytes](const auto& request, auto& response) {
        return handleEarly(service, maximumBytes, request, response);
    });
    server->Post(".*",
                 [&service, maximumBytes](const auto& request, auto& response, const auto& read) {
                     handleBody(service, maximumBytes, request, response, read);
                 });
    server->set_post_routing_handler(
        [](const auto& /*request*/, auto& response) { announceEnd(response); });
    SSL_CTX* tls =
        options.tls.isEnabled() ? static_cast<httplib::SSLServer&>(*server).ssl_context() : nullptr;
    if (tls != nullptr) {
        // OpenSSL refuses to resume sessions of clients with certificates without one.
        constexpr std::string_view kContext = "nnburst-serve";
        ::SSL_CTX_set_session_id_context(
            tls, reinterpret_cast<const unsigned char*>(kContext.data()), kContext.size());
    }
    auto impl = std::make_unique<Impl>(std::move(server), tls, address, options, service.memory());
    NNBURST_SERVE_TRY(impl->start(options.httpConnections));
    return std::unique_ptr<RestServer>(new RestServer(std::move(impl)));
}

}  // namespace nnburst::serve
