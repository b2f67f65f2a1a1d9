/// A metric of `GET /metrics`. Its raw value is its name.
///
/// `docs/monitoring.md` lists the same metrics in the same order, and a test compares the two.
enum Metric: String, CaseIterable, Sendable {
    case requests = "decant_requests_total"
    case requestDuration = "decant_request_duration_seconds"
    case stageDuration = "decant_stage_duration_seconds"
    case receivedContent = "decant_received_content_bytes_total"
    case sentContent = "decant_sent_content_bytes_total"
    case requestsInFlight = "decant_requests_in_flight"
    case exchangeEnds = "decant_exchange_ends_total"
    case laneRequests = "decant_lane_requests_total"
    case laneWaiting = "decant_lane_waiting"
    case contentMemory = "decant_content_memory_bytes"
    case maxContentMemory = "decant_content_memory_max_bytes"
    case workers = "decant_workers"
    case workerRestarts = "decant_worker_restarts_total"
    case workerSandbox = "decant_worker_sandbox"
    case workerResidentMemory = "decant_worker_resident_memory_bytes"
    case fetches = "decant_fetches_total"
    case fetchPhaseDuration = "decant_fetch_phase_duration_seconds"
    case fetchAttempts = "decant_fetch_attempts_total"
    case fetchRetries = "decant_fetch_retries_total"
    case fetchMerged = "decant_fetch_merged_total"
    case fetchCancelled = "decant_fetch_cancelled_total"
    case fetchRequests = "decant_fetch_requests"
    case fetchQueued = "decant_fetch_queued"
    case fetchActive = "decant_fetch_active"
    case fetchBreakers = "decant_fetch_breakers"
    case fetcherReady = "decant_fetcher_ready"
    case fetcherEnds = "decant_fetcher_ends_total"
    case cacheRequests = "decant_cache_requests_total"
    case cacheEvicted = "decant_cache_evicted_total"
    case cacheEvictedBytes = "decant_cache_evicted_bytes_total"
    case cachePurged = "decant_cache_purged_total"
    case cacheBytes = "decant_cache_bytes"
    case cacheCapacity = "decant_cache_capacity_bytes"
    case cacheEntries = "decant_cache_entries"
    case openConnections = "decant_connections_open"
    case acceptedConnections = "decant_connections_accepted_total"
    case rejectedConnections = "decant_connections_rejected_total"
    case evictedConnections = "decant_connections_evicted_total"
    case acceptFailures = "decant_accept_failures_total"
    case droppedLogLines = "decant_log_lines_dropped_total"
    case profileReloads = "decant_profile_reloads_total"
    case profilesCurrent = "decant_profiles_current"
    case tokenReloads = "decant_token_reloads_total"
    case tokensCurrent = "decant_tokens_current"
    case signingKeyReloads = "decant_signing_key_reloads_total"
    case signingKeysCurrent = "decant_signing_keys_current"
    case credentialReloads = "decant_credential_reloads_total"
    case credentialsCurrent = "decant_credentials_current"
    case buildInfo = "decant_build_info"
    case ready = "decant_ready"
    case processorTime = "process_cpu_seconds_total"
    case residentMemory = "process_resident_memory_bytes"
    case virtualMemory = "process_virtual_memory_bytes"
    case openFiles = "process_open_fds"
    case maxOpenFiles = "process_max_fds"
    case startTime = "process_start_time_seconds"

    enum Kind: String, Sendable {
        case counter
        case gauge
        case histogram
    }

    var kind: Kind { row.kind }

    /// The text of the `HELP` line.
    var help: String { row.help }

    private var row: (kind: Kind, help: String) {
        switch self {
        case .requests: (.counter, "Requests, by endpoint, status, serializer and problem code.")
        case .requestDuration: (.histogram, "Time from the end of the head to the end of the exchange.")
        case .stageDuration: (.histogram, "Duration of a stage, of the requests in which it took place.")
        case .receivedContent: (.counter, "Content of requests that was received.")
        case .sentContent: (.counter, "Content of responses that was sent.")
        case .requestsInFlight: (.gauge, "Requests whose head is complete and whose response is not sent.")
        case .exchangeEnds: (.counter, "Requests, by what became of the connection when they ended.")
        case .laneRequests: (.counter, "Requests, by the last lane on which the response was computed.")
        case .laneWaiting: (.gauge, "Requests that wait in the queue of a lane.")
        case .contentMemory:
            (.gauge, "Memory used by the content of requests, by decoding it, and by responses until they are sent.")
        case .maxContentMemory: (.gauge, "Memory above which new content is rejected (max-buffered-bytes).")
        case .workers: (.gauge, "Worker processes, by state.")
        case .workerRestarts: (.counter, "Worker processes that ended and were replaced, by reason.")
        case .workerSandbox: (.gauge, "Whether the sandbox of the workers has this state.")
        case .workerResidentMemory:
            (.gauge, "Resident memory of all worker processes; shared pages are counted for each of them.")
        case .fetches: (.counter, "Fetches that ended, by the entry of fetch-allow that permitted them, and result.")
        case .fetchPhaseDuration:
            (.histogram, "Duration of a phase of a fetch, of the attempts in which it took place.")
        case .fetchAttempts: (.counter, "Transfers that were started.")
        case .fetchRetries: (.counter, "Transfers that repeated an earlier one, by reason.")
        case .fetchMerged: (.counter, "Requests that joined the fetch of an earlier one.")
        case .fetchCancelled: (.counter, "Requests that did not wait for the result of a fetch, by reason.")
        case .fetchRequests: (.gauge, "Requests that wait for the result of a fetch, also those without a client.")
        case .fetchQueued: (.gauge, "Fetches that wait for a transfer.")
        case .fetchActive: (.gauge, "Active transfers.")
        case .fetchBreakers:
            (.gauge, "Origins whose requests are rejected because they have failed repeatedly, by state.")
        case .fetcherReady: (.gauge, "Whether the process that fetches is ready.")
        case .fetcherEnds: (.counter, "Processes that fetched and ended, by reason.")
        case .cacheRequests: (.counter, "Requests, by what the cache did.")
        case .cacheEvicted: (.counter, "Entries of the cache that were evicted.")
        case .cacheEvictedBytes: (.counter, "Memory of the entries of the cache that were evicted.")
        case .cachePurged: (.counter, "Stored responses that were purged.")
        case .cacheBytes: (.gauge, "Memory of the cache, with what is still being sent.")
        case .cacheCapacity: (.gauge, "Memory above which the cache evicts.")
        case .cacheEntries: (.gauge, "Entries of the cache.")
        case .openConnections: (.gauge, "Connections, including closed ones whose clients may still be sending.")
        case .acceptedConnections: (.counter, "Connections that were accepted, including rejected ones.")
        case .rejectedConnections: (.counter, "Connections that were accepted and rejected, by reason.")
        case .evictedConnections: (.counter, "Idle connections that were closed in favor of new ones.")
        case .acceptFailures: (.counter, "Failures to accept connections, after which accepting was interrupted.")
        case .droppedLogLines: (.counter, "Log lines that were dropped because they could not be written in time.")
        case .profileReloads: (.counter, "Attempts to reload the file of profiles, by result.")
        case .profilesCurrent: (.gauge, "Whether the last attempt to load the file of profiles succeeded.")
        case .tokenReloads: (.counter, "Attempts to reload the file of tokens, by result.")
        case .tokensCurrent: (.gauge, "Whether the last attempt to load the file of tokens succeeded.")
        case .signingKeyReloads: (.counter, "Attempts to reload the file of signing keys, by result.")
        case .signingKeysCurrent: (.gauge, "Whether the last attempt to load the file of signing keys succeeded.")
        case .credentialReloads: (.counter, "Attempts to reload the file of credentials, by result.")
        case .credentialsCurrent: (.gauge, "Whether the last attempt to load the file of credentials succeeded.")
        case .buildInfo: (.gauge, "The versions of the program and of libmicrohttpd; the value is always 1.")
        case .ready: (.gauge, "Whether the service accepts requests (GET /readyz).")
        case .processorTime: (.counter, "Processor time of the service without its workers, in user and system mode.")
        case .residentMemory: (.gauge, "Resident memory of the service without its workers.")
        case .virtualMemory: (.gauge, "Address space of the service without its workers.")
        case .openFiles: (.gauge, "Open file descriptors of the service.")
        case .maxOpenFiles: (.gauge, "Maximum number of open file descriptors.")
        case .startTime: (.gauge, "Time at which the service started, since 1970-01-01 UTC.")
        }
    }
}
