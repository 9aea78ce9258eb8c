// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "device/driver/metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>

namespace nnburst::device {

namespace {

/// The labels of a client. Names of programs are printable (client_identity.h); '"' and '\' would
/// end a label.
std::string labelsOf(const Service::Client& client) {
    std::string program = client.identity.program;
    std::replace_if(
        program.begin(), program.end(), [](char letter) { return letter == '"' || letter == '\\'; },
        '?');
    return fmt::format(R"(client="{}",user="{}",process="{}",program="{}")", client.number,
                       client.identity.user, client.identity.process, program);
}

class Text {
  public:
    void family(const char* name, const char* type, const char* help) {
        fmt::format_to(std::back_inserter(text_), "# HELP {} {}\n# TYPE {} {}\n", name, help, name,
                       type);
    }
    void sample(const std::string& name, const std::string& labels, std::uint64_t value) {
        fmt::format_to(std::back_inserter(text_), "{}{}{}{} {}\n", name, labels.empty() ? "" : "{",
                       labels, labels.empty() ? "" : "}", value);
    }
    /// The samples of one histogram. `labels` is not empty.
    void histogram(const std::string& name, const std::string& labels,
                   const system::DurationHistogram& durations) {
        std::uint64_t sum = 0;
        for (std::size_t i = 0; i + 1 < durations.counts.size(); ++i) {
            sum += durations.counts[i];
            const double limit = 1e-6 * static_cast<double>(std::uint64_t{1} << i);
            sample(name + "_bucket", fmt::format(R"({},le="{:g}")", labels, limit), sum);
        }
        sum += durations.counts.back();
        sample(name + "_bucket", labels + R"(,le="+Inf")", sum);
        fmt::format_to(std::back_inserter(text_), "{}_sum{{{}}} {}\n", name, labels,
                       std::chrono::duration<double>(durations.sum).count());
        sample(name + "_count", labels, sum);
    }
    [[nodiscard]] std::string take() { return std::move(text_); }

  private:
    std::string text_;
};

std::string withResource(const std::string& labels, Resource resource) {
    return fmt::format(R"({}{}resource="{}")", labels, labels.empty() ? "" : ",",
                       toString(resource));
}

void addUsage(Text& text, const std::string& name, const std::string& labels,
              const Account& account) {
    for (const Account::Usage& usage : account.usage()) {
        text.sample(name, withResource(labels, usage.resource), usage.used);
    }
}

}  // namespace

std::string metricsText(const Service& service) {
    const std::vector<Service::Client> clients = service.clients();
    const std::vector<SharedAccount> users = service.accounts().users();
    const exec::ExecutionCounts::Totals executions = service.executions(clients);
    Text text;
    text.family("nnburst_clients", "gauge", "Clients that are connected.");
    text.sample("nnburst_clients", "", clients.size());
    text.family("nnburst_users", "gauge", "Users that have clients.");
    text.sample("nnburst_users", "", users.size());
    text.family("nnburst_executions_total", "counter", "Executions that have ended.");
    text.sample("nnburst_executions_total", "", executions.ended);
    text.family("nnburst_execution_errors_total", "counter", "Executions that have failed.");
    text.sample("nnburst_execution_errors_total", "", executions.failed);
    text.family("nnburst_job_wait_seconds", "histogram", "How long jobs waited for a thread.");
    text.histogram("nnburst_job_wait_seconds", R"(kind="control")",
                   service.jobWaits(JobKind::CONTROL));
    text.histogram("nnburst_job_wait_seconds", R"(kind="preparation")",
                   service.jobWaits(JobKind::PREPARATION));
    text.histogram("nnburst_job_wait_seconds", R"(kind="execution")",
                   service.jobWaits(JobKind::EXECUTION));
    text.family("nnburst_execution_seconds", "histogram",
                "How long executions of a user took in the driver.");
    for (const auto& [user, durations] : service.executionDurations(clients)) {
        text.histogram("nnburst_execution_seconds", fmt::format(R"(user="{}")", user), durations);
    }
    text.family("nnburst_used", "gauge", "What all clients use.");
    addUsage(text, "nnburst_used", "", *service.accounts().driver());
    text.family("nnburst_limit", "gauge", "What all clients may use.");
    for (const Account::Usage& usage : service.accounts().driver()->usage()) {
        text.sample("nnburst_limit", withResource("", usage.resource), usage.limit);
    }
    text.family("nnburst_user_used", "gauge", "What the clients of a user use.");
    for (const SharedAccount& user : users) {
        addUsage(text, "nnburst_user_used", fmt::format(R"(account="{}")", user->name()), *user);
    }
    text.family("nnburst_client_used", "gauge", "What a client uses.");
    for (const Service::Client& client : clients) {
        addUsage(text, "nnburst_client_used", labelsOf(client), *client.account);
    }
    text.family("nnburst_client_executions_total", "counter", "Executions of a client.");
    for (const Service::Client& client : clients) {
        text.sample("nnburst_client_executions_total", labelsOf(client), client.executions.ended);
    }
    text.family("nnburst_client_execution_errors_total", "counter",
                "Executions of a client that failed.");
    for (const Service::Client& client : clients) {
        text.sample("nnburst_client_execution_errors_total", labelsOf(client),
                    client.executions.failed);
    }
    return text.take();
}

std::string metricsText(const Broker& broker) {
    const Broker::Counts workers = broker.counts();
    Text text;
    text.family("nnburst_clients", "gauge", "Clients that are connected.");
    text.sample("nnburst_clients", "", broker.connectionCount());
    text.family("nnburst_users", "gauge", "Users that have clients.");
    text.sample("nnburst_users", "", broker.accounts().users().size());
    text.family("nnburst_workers", "gauge", "Worker processes.");
    text.sample("nnburst_workers", "", workers.workers);
    text.family("nnburst_workers_started_total", "counter", "Worker processes that were started.");
    text.sample("nnburst_workers_started_total", "", workers.started);
    text.family("nnburst_workers_failed_total", "counter",
                "Worker processes that ended by a fault.");
    text.sample("nnburst_workers_failed_total", "", workers.failed);
    const Account::Usage connections = broker.accounts().driver()->usage(Resource::CONNECTIONS);
    text.family("nnburst_used", "gauge", "What all clients use.");
    text.sample("nnburst_used", withResource("", connections.resource), connections.used);
    text.family("nnburst_limit", "gauge", "What all clients may use.");
    text.sample("nnburst_limit", withResource("", connections.resource), connections.limit);
    return text.take();
}

}  // namespace nnburst::device
