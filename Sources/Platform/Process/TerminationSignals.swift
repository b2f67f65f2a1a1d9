internal import Glibc

/// The signals SIGTERM and SIGINT, which one thread waits for, so that no handler interrupts other code; and the signals that a
/// service must survive.
package enum TerminationSignals {
    /// Blocks the signals for this thread and all threads that it starts. Must be called before any thread is started.
    ///
    /// Also ignores SIGPIPE, so that writing to a disconnected client fails with an error, and SIGHUP, SIGUSR1 and SIGUSR2, which
    /// terminate a process by default, and which tools send to services to make them reload or reopen files.
    package static func block() {
        for number in [SIGPIPE, SIGHUP, SIGUSR1, SIGUSR2] { signal(number, SIG_IGN) }
        var signals = signalSet()
        unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    /// Waits for the next of these signals, and returns its number.
    /// - Parameter meanwhile: called every `seconds` seconds until a signal arrives.
    package static func wait(every seconds: Int, meanwhile: () -> Void) -> Int32 {
        var signals = signalSet()
        var interval = timespec(tv_sec: seconds, tv_nsec: 0)
        while true {
            // Both arguments outlive the call. It returns -1 at the end of the interval, and if a debugger interrupts it.
            let number = unsafe sigtimedwait(&signals, nil, &interval)
            if number > 0 { return number }
            meanwhile()
        }
    }

    /// Makes the next signal terminate the process immediately, with the exit status that a shell reports for that signal.
    ///
    /// A handler terminates the process, because the default action does not apply to the first process of a container.
    package static func exitAtOnceOnNext() {
        for number in [SIGTERM, SIGINT] {
            signal(number) { number in _exit(128 + number) }
        }
        var signals = signalSet()
        unsafe pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    }

    /// Sleeps for `seconds` seconds. A signal that ``exitAtOnceOnNext()`` unblocked terminates the process during that time.
    package static func sleep(seconds: Int) {
        var end = timespec()
        // The call writes one timespec.
        unsafe clock_gettime(CLOCK_MONOTONIC, &end)
        end.tv_sec += seconds
        // An interrupted wait continues until the same time.
        while unsafe clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, nil) == EINTR {}
    }

    package static func name(of signal: Int32) -> String {
        signal == SIGINT ? "SIGINT" : "SIGTERM"
    }

    private static func signalSet() -> sigset_t {
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe sigaddset(&signals, SIGTERM)
        unsafe sigaddset(&signals, SIGINT)
        return signals
    }
}
