internal import Platform

/// The registration of the fetcher's socket with an event loop: always for input, and for output while the process has
/// not accepted all that was sent to it.
struct FetcherRegistration {
    private var registration: EventLoop.Registration?
    private var includesOutput = false

    /// Registers the socket of the process for the events that it waits for, if there is a process.
    mutating func update(
        for process: FetcherProcess,
        in events: EventLoop,
        _ handler: any EventHandler
    ) throws(SystemError) {
        guard let descriptor = process.descriptor, process.process != nil else { return }
        let wantsWrite = process.wantsWrite
        if registration != nil, includesOutput == wantsWrite { return }
        remove(from: events)
        registration = try events.add(descriptor, for: wantsWrite ? [.readable, .writable] : .readable, handler)
        includesOutput = wantsWrite
    }

    /// Ends the registration, before the process is replaced.
    mutating func remove(from events: EventLoop) {
        if let registration { events.remove(registration) }
        registration = nil
    }
}
