internal import Glibc

/// SIGTERM, SIGINT and SIGHUP, for which one thread waits, so that no handler interrupts other code; and the signals
/// that a service must survive.
package enum TerminationSignals {
    /// Blocks the signals for this thread and all threads that it starts. Must be called before any thread is started.
    ///
    /// SIGPIPE and SIGXFSZ are ignored from then on: writing to a client that has disconnected, or beyond the limit of
    /// the size of a file, returns an error. SIGUSR1 and SIGUSR2 are also ignored: they terminate a process by default,
    /// and tools send them to services so that these open their log files again. SIGHUP is blocked, and waits for
    /// ``wait(every:onHangup:meanwhile:)``.
    package static func block() {
        for number in [SIGPIPE, SIGXFSZ, SIGUSR1, SIGUSR2] { signal(number, SIG_IGN) }
        var signals = signalSet(withHangup: true)
        unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    /// Calls `body`, during which the signals have their default effect. Must be called before any thread is started.
    package static func permitted<Result: ~Copyable, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var signals = signalSet(withHangup: true)
        unsafe pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        defer { unsafe pthread_sigmask(SIG_BLOCK, &signals, nil) }
        return try body()
    }

    /// Waits for the first SIGTERM or SIGINT, and returns its number.
    /// - Parameters:
    ///   - onHangup: called for SIGHUP. Signals that arrive during a call count as one.
    ///   - meanwhile: called every `seconds` until then.
    package static func wait(every seconds: Int, onHangup: () -> Void, meanwhile: () -> Void) -> Int32 {
        var termination = signalSet(withHangup: false)
        var all = signalSet(withHangup: true)
        var interval = timespec(tv_sec: seconds, tv_nsec: 0)
        var nothing = timespec()
        while true {
            // All arguments outlive the calls, which return -1 at the end of the interval, or if a debugger interrupts
            // them. Of several pending signals, the lowest number is returned. Without the first call, a flood of
            // SIGHUP would hide SIGTERM.
            let first = unsafe sigtimedwait(&termination, nil, &nothing)
            let number = first > 0 ? first : unsafe sigtimedwait(&all, nil, &interval)
            switch number {
            case SIGHUP: onHangup()
            case 1...: return number
            default: meanwhile()
            }
        }
    }

    /// Waits for the first SIGTERM, SIGINT or SIGHUP, and returns its number. A signal that the caller of this program
    /// ignores remains ignored, as in nohup(1).
    package static func wait() -> Int32 {
        var signals = signalSet(withHangup: true)
        for number in [SIGTERM, SIGINT, SIGHUP] where isIgnored(number) { unsafe sigdelset(&signals, number) }
        var number: Int32 = 0
        // Both arguments outlive the calls, which fail only if a debugger interrupts them.
        while unsafe sigwait(&signals, &number) != 0 {}
        return number
    }

    private static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        // The call writes one structure. Handlers are compared as addresses: that of an ignored signal is 1.
        guard unsafe sigaction(number, nil, &action) == 0 else { return false }
        return unsafe unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
    }

    /// Makes the next signal terminate the process immediately, with the exit status that a shell reports for that
    /// signal. A signal that the caller of this program ignores remains ignored. It may be pending, because it was
    /// blocked.
    ///
    /// A handler terminates the process, because the default action does not apply to the first process of a container.
    package static func exitAtOnceOnNext() {
        for number in [SIGTERM, SIGINT] where !isIgnored(number) { signal(number) { number in _exit(128 + number) } }
        var signals = signalSet(withHangup: false)
        unsafe pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    }

    /// Sleeps for `seconds` seconds. A signal that ``exitAtOnceOnNext()`` unblocked terminates the process during that
    /// time.
    package static func sleep(seconds: Int) {
        var end = timespec()
        // The call writes one timespec.
        unsafe clock_gettime(CLOCK_MONOTONIC, &end)
        end.tv_sec += seconds
        // An interrupted wait continues until the same time.
        while unsafe clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, nil) == EINTR {}
    }

    package static func name(of signal: Int32) -> String {
        switch signal {
        case SIGINT: "SIGINT"
        case SIGHUP: "SIGHUP"
        default: "SIGTERM"
        }
    }

    private static func signalSet(withHangup: Bool) -> sigset_t {
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe sigaddset(&signals, SIGTERM)
        unsafe sigaddset(&signals, SIGINT)
        if withHangup { unsafe sigaddset(&signals, SIGHUP) }
        return signals
    }
}
