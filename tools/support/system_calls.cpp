// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "support/system_calls.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "nnburst/memory.h"

namespace nnburst::tools {
namespace {

/// An operation that prctl(2) does not have: the kernel refuses the call, but the tracer sees it.
constexpr int kMark = 0x6E6E6275;

/// The signal of a stop at a system call, with PTRACE_O_TRACESYSGOOD.
constexpr int kSystemCallStop = SIGTRAP | 0x80;

/// Runs `body` in the traced child; writes the message of an error to `pipe`.
[[noreturn]] void runTraced(const std::function<Result<>()>& body, const UniqueFd& pipe) {
    // The tracer takes over when the child stops.
    if (::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0 || ::raise(SIGSTOP) != 0) {
        ::_exit(2);
    }
    const Result<> result = body();
    if (!result) {
        const std::string& message = result.error().message;
        (void)!::write(pipe.get(), message.data(), message.size());
    }
    ::_exit(result ? 0 : 1);
}

pid_t processOf(pid_t thread) {
    std::ifstream status(fmt::format("/proc/{}/status", thread));
    for (std::string word; status >> word;) {
        if (word == "Tgid:") {
            pid_t process = 0;
            status >> process;
            return process;
        }
    }
    return thread;
}

/// Follows one child and all its descendants until the last of them has ended.
class Tracer {
  public:
    /// If the child fails, it writes the reason to the other end of `pipe`.
    Tracer(pid_t child, UniqueFd pipe) : child_(child), pipe_(std::move(pipe)) {}

    [[nodiscard]] Result<std::vector<TracedCounts>> run() {
        int status = 0;
        if (::waitpid(child_, &status, __WALL) != child_ || !WIFSTOPPED(status)) {
            return failure(ErrorStatus::GENERAL_FAILURE,
                           "tracing a child: ptrace is not permitted");
        }
        constexpr long kOptions = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
                                  PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL;
        if (::ptrace(PTRACE_SETOPTIONS, child_, nullptr, kOptions) != 0) {
            const int error = errno;
            ::kill(child_, SIGKILL);
            ::waitpid(child_, nullptr, __WALL);
            return failure(ErrorStatus::GENERAL_FAILURE,
                           fmt::format("tracing a child: ptrace: {}", std::strerror(error)));
        }
        processes_[child_] = child_;
        resume(child_, 0);
        for (pid_t thread = 0; (thread = ::waitpid(-1, &status, __WALL)) > 0;) {
            if (WIFSTOPPED(status)) {
                handleStop(thread, status);
            } else {
                processes_.erase(thread);
                hasSucceeded_ = hasSucceeded_ ||
                                (thread == child_ && WIFEXITED(status) && WEXITSTATUS(status) == 0);
            }
        }
        if (!hasSucceeded_) {
            return failure(ErrorStatus::GENERAL_FAILURE, "the traced child failed: " + message());
        }
        return std::move(sections_);
    }

  private:
    /// The message of the child, which has ended.
    [[nodiscard]] std::string message() const {
        std::string text(4096, '\0');
        const ssize_t size = ::read(pipe_.get(), text.data(), text.size());
        text.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
        return text.empty() ? "it was killed" : text;
    }

    static void resume(pid_t thread, int signal) {
        // The thread may have been killed meanwhile; waitpid tells.
        (void)::ptrace(PTRACE_SYSCALL, thread, nullptr, static_cast<long>(signal));
    }

    void handleStop(pid_t thread, int status) {
        const int signal = WSTOPSIG(status);
        const bool isEvent = status >> 16 != 0;  // a fork, clone or vfork
        const auto [entry, isNew] = processes_.try_emplace(thread, 0);
        if (isNew) {
            entry->second = processOf(thread);
        }
        if (signal == kSystemCallStop) {
            countEntry(thread, entry->second == child_);
            resume(thread, 0);
        } else if (isEvent || (isNew && signal == SIGSTOP)) {  // new threads begin with SIGSTOP
            resume(thread, 0);
        } else {
            resume(thread, signal == SIGTRAP ? 0 : signal);  // SIGTRAP: after an exec
        }
    }

    void countEntry(pid_t thread, bool isOwn) {
        __ptrace_syscall_info info{};
        if (::ptrace(PTRACE_GET_SYSCALL_INFO, thread, sizeof(info), &info) <= 0 ||
            info.op != PTRACE_SYSCALL_INFO_ENTRY) {
            return;
        }
        if (isOwn && info.entry.nr == SYS_prctl && info.entry.args[0] == kMark) {
            sections_.back().value = info.entry.args[1];
            sections_.emplace_back();
        } else {
            ++(isOwn ? sections_.back().own : sections_.back().descendants);
        }
    }

    const pid_t child_;
    const UniqueFd pipe_;
    std::unordered_map<pid_t, pid_t> processes_;  ///< of each thread that is traced
    std::vector<TracedCounts> sections_{1};
    bool hasSucceeded_ = false;
};

/// A pipe for bytes that a child writes.
struct Pipe {
    UniqueFd ours;
    UniqueFd theirs;

    [[nodiscard]] static Result<Pipe> make() {
        std::array<int, 2> ends{};
        if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
            return failure(
                ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT,
                fmt::format("making a pipe to a traced child: {}", std::strerror(errno)));
        }
        return Pipe{.ours = UniqueFd(ends[0]), .theirs = UniqueFd(ends[1])};
    }
};

tl::unexpected<Error> cannotFork() {
    return failure(ErrorStatus::GENERAL_FAILURE,
                   fmt::format("forking a child to trace: {}", std::strerror(errno)));
}

/// Runs `body` in a child and traces it. Requires that this process has no other children.
Result<std::vector<TracedCounts>> trace(const std::function<Result<>()>& body) {
    NNBURST_TRY_ASSIGN(Pipe pipe, Pipe::make());
    const pid_t child = ::fork();
    if (child < 0) {
        return cannotFork();
    }
    if (child == 0) {
        runTraced(body, pipe.theirs);
    }
    pipe.theirs = UniqueFd();
    return Tracer(child, std::move(pipe.ours)).run();
}

/// Traces in this process, which ends. Writes the sections to `pipe` with the exit status 0, or the
/// message of an error with 1.
[[noreturn]] void runTracer(const std::function<Result<>()>& body, const UniqueFd& pipe) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    const Result<std::vector<TracedCounts>> sections = trace(body);
    std::string_view rest = sections
                                ? std::string_view(reinterpret_cast<const char*>(sections->data()),
                                                   sections->size() * sizeof(TracedCounts))
                                : std::string_view(sections.error().message);
    while (!rest.empty()) {
        const ssize_t written = ::write(pipe.get(), rest.data(), rest.size());
        if (written < 0 && errno != EINTR) {
            ::_exit(2);
        }
        rest.remove_prefix(written < 0 ? 0 : static_cast<std::size_t>(written));
    }
    ::_exit(sections ? 0 : 1);
}

/// All that comes until the other end is closed.
std::string readAll(const UniqueFd& pipe) {
    std::string bytes;
    std::array<char, 4096> part{};
    for (ssize_t size = 1; size != 0;) {
        size = ::read(pipe.get(), part.data(), part.size());
        if (size < 0 && errno != EINTR) {
            break;
        }
        bytes.append(part.data(), size < 0 ? 0 : static_cast<std::size_t>(size));
    }
    return bytes;
}

}  // namespace

void markSystemCalls(std::uint64_t value) noexcept {
    (void)::prctl(kMark, value, 0UL, 0UL, 0UL);
}

void discardStandardError() noexcept {
    const UniqueFd null(::open("/dev/null", O_WRONLY | O_CLOEXEC));
    if (null) {
        (void)::dup2(null.get(), STDERR_FILENO);
    }
}

Result<std::vector<TracedCounts>> countSystemCalls(const std::function<Result<>()>& body) {
    // The tracer waits for any child. This process may have children that others started: those of
    // a shell that it has replaced, or orphans. So the tracer is a process without other children.
    NNBURST_TRY_ASSIGN(Pipe pipe, Pipe::make());
    const pid_t tracer = ::fork();
    if (tracer < 0) {
        return cannotFork();
    }
    if (tracer == 0) {
        runTracer(body, pipe.theirs);
    }
    pipe.theirs = UniqueFd();
    const std::string bytes = readAll(pipe.ours);
    int status = 0;
    while (::waitpid(tracer, &status, 0) < 0 && errno == EINTR) {
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) > 1) {
        return failure(ErrorStatus::GENERAL_FAILURE, "tracing a child: the tracer was killed");
    }
    if (WEXITSTATUS(status) == 1) {
        return failure(ErrorStatus::GENERAL_FAILURE, bytes);
    }
    std::vector<TracedCounts> sections(bytes.size() / sizeof(TracedCounts));
    std::memcpy(sections.data(), bytes.data(), sections.size() * sizeof(TracedCounts));
    return sections;
}

}  // namespace nnburst::tools
