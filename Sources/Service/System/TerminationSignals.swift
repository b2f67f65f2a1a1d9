internal import Glibc

/// SIGTERM and SIGINT, taken by one thread that waits for them: no handler interrupts anything.
enum TerminationSignals {
    /// Blocks them for this thread and all that it starts, so call it before any thread. SIGPIPE is ignored for good: a
    /// client that goes away shows as an error of the write.
    static func block() {
        signal(SIGPIPE, SIG_IGN)
        var signals = signalSet()
        unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    /// Waits for the first of them and says which it was.
    /// - Parameter meanwhile: called every `seconds` until then.
    static func wait(every seconds: Int, meanwhile: () -> Void) -> Int32 {
        var signals = signalSet()
        var interval = timespec(tv_sec: seconds, tv_nsec: 0)
        while true {
            // Both are ours and outlive the call; -1 is the interval's end, or a debugger's interruption.
            let number = unsafe sigtimedwait(&signals, nil, &interval)
            if number > 0 { return number }
            meanwhile()
        }
    }

    /// From here on one more of them ends the process at once, whatever it is doing, with the status that a shell gives to
    /// a process that a signal ended. A handler and not the default action, which the first process of a container does not have.
    static func exitAtOnceOnNext() {
        for number in [SIGTERM, SIGINT] {
            signal(number) { number in _exit(128 + number) }
        }
        var signals = signalSet()
        unsafe pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    }

    static func name(of signal: Int32) -> String {
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
