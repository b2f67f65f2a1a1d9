internal import CEvents
internal import Glibc

/// The events of a descriptor (epoll_ctl(2)).
package struct Events: OptionSet, Sendable {
    package static let readable = Events(rawValue: EPOLLIN.rawValue)
    package static let writable = Events(rawValue: EPOLLOUT.rawValue)
    /// The peer has finished sending.
    package static let endOfStream = Events(rawValue: EPOLLRDHUP.rawValue)
    /// Always reported.
    package static let error = Events(rawValue: EPOLLERR.rawValue)
    /// Both directions are closed. Always reported.
    package static let hangUp = Events(rawValue: EPOLLHUP.rawValue)
    /// Reports each change once, instead of a state for as long as it lasts.
    package static let edgeTriggered = Events(rawValue: EPOLLET.rawValue)

    package let rawValue: UInt32

    package init(rawValue: UInt32) { self.rawValue = rawValue }
}

/// An object that an ``EventLoop`` notifies of the events of a descriptor.
package protocol EventHandler: AnyObject {
    /// Called on the loop's thread.
    func handle(_ events: Events)
}

/// Waits on one thread for events of descriptors, for work that other threads submit, and for a point in time.
///
/// An idle loop does not poll: it sleeps in epoll_wait(2). Everything except ``submit(_:)`` must be called on the
/// loop's own thread, which calls ``runOnce(until:)`` repeatedly.
///
/// @unchecked Sendable: other threads access only constants and the submitted work, which is in a monitor.
@safe package final class EventLoop: @unchecked Sendable {
    /// A watched descriptor, from ``add(_:for:_:)`` to ``remove(_:)``.
    package final class Registration {
        fileprivate let descriptor: Int32
        fileprivate let handler: any EventHandler
        /// Whether events are delivered.
        fileprivate var isActive = true

        fileprivate init(descriptor: Int32, handler: any EventHandler) {
            self.descriptor = descriptor
            self.handler = handler
        }
    }

    private struct Submitted {
        var work: [@Sendable () -> Void] = []
        /// Whether the loop waits, or is about to, and nothing has woken it for submitted work.
        var isAsleep = false
        var isClosed = false
    }

    private let epoll: FileDescriptor
    private let wakeUp: FileDescriptor
    private let submitted = Monitor(Submitted())

    /// The active registrations. The kernel returns their addresses with their events.
    private var registrations: [ObjectIdentifier: Registration] = [:]

    /// The registrations that were removed while events are delivered. The kernel may have returned their addresses
    /// already.
    private var removed: [Registration] = []
    private var isDelivering = false

    /// The buffer for ``maxEvents`` events.
    private let buffer: UnsafeMutablePointer<epoll_event>

    /// The time at which the last wait ended. Reading it does not require a system call.
    package var now: MonotonicTime { currentTime }
    private var currentTime = MonotonicTime.now

    /// The maximum number of events that one system call returns. The next call returns further events.
    private static let maxEvents = 256

    /// The token of the descriptor that wakes the loop for submitted work. It is not an address.
    private static let wakeUpToken = UInt64.max

    package init() throws(SystemError) {
        let epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard epoll >= 0 else { throw SystemError("create an epoll instance") }
        self.epoll = FileDescriptor(owning: epoll, name: "epoll")
        let wakeUp = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))
        guard wakeUp >= 0 else { throw SystemError("create an event descriptor") }
        self.wakeUp = FileDescriptor(owning: wakeUp, name: "eventfd")
        unsafe buffer = .allocate(capacity: Self.maxEvents)
        // With edges, the counter need not be reset: each write is an event.
        try control(EPOLL_CTL_ADD, wakeUp, [.readable, .edgeTriggered], token: Self.wakeUpToken)
    }

    deinit { unsafe buffer.deallocate() }

    // MARK: Any thread

    /// Schedules `work` to be called once on the loop's thread, after all work that was submitted before.
    ///
    /// Work that is submitted after ``close()`` is discarded.
    package func submit(_ work: @escaping @Sendable () -> Void) {
        let wasAsleep = submitted.withLock { submitted in
            guard !submitted.isClosed else { return false }
            submitted.work.append(work)
            defer { submitted.isAsleep = false }
            return submitted.isAsleep
        }
        if wasAsleep { wake() }
    }

    private func wake() {
        var one: UInt64 = 1
        // Eight bytes are read from `one`. The call fails only if the counter is at its maximum, after 2⁶⁴ - 2 calls.
        _ = unsafe write(wakeUp.number, &one, 8)
    }

    // MARK: The loop's thread

    /// Notifies `handler` of the events of `descriptor` until ``remove(_:)``. The loop retains `handler`.
    package func add(
        _ descriptor: Int32,
        for events: Events,
        _ handler: any EventHandler
    ) throws(SystemError) -> Registration {
        let registration = Registration(descriptor: descriptor, handler: handler)
        let address = unsafe UInt64(UInt(bitPattern: Unmanaged.passUnretained(registration).toOpaque()))
        try control(EPOLL_CTL_ADD, descriptor, events, token: address)
        registrations[ObjectIdentifier(registration)] = registration
        return registration
    }

    /// Ends a registration, whose descriptor must still be open. No events are delivered afterwards.
    package func remove(_ registration: Registration) {
        guard registrations.removeValue(forKey: ObjectIdentifier(registration)) != nil else { return }
        registration.isActive = false
        if isDelivering { removed.append(registration) }
        // The event is ignored. Kernels before 2.6.9 required one.
        _ = epoll_ctl(epoll.number, EPOLL_CTL_DEL, registration.descriptor, nil)
    }

    /// Waits for events, but at most until `time`, notifies their handlers, and calls the submitted work.
    /// - Parameter time: the latest end of the wait. If it has passed, the call does not wait.
    package func runOnce(until time: MonotonicTime) {
        // Work that is submitted from now on wakes the loop. If there is some already, the loop does not wait.
        let mayWait = submitted.withLock { submitted in
            submitted.isAsleep = submitted.work.isEmpty
            return submitted.isAsleep
        }
        // The buffer has `maxEvents` elements. An interrupted wait returns no events.
        let count = unsafe epoll_wait(epoll.number, buffer, Int32(Self.maxEvents), mayWait ? time.pollMilliseconds : 0)
        let time = MonotonicTime.now
        currentTime = time
        let work = takeSubmitted()
        isDelivering = true
        for index in 0..<Int(max(count, 0)) {
            let event = unsafe buffer[index]
            let token = unsafe event.data.u64
            if token != Self.wakeUpToken { deliver(Events(rawValue: unsafe event.events), to: token) }
        }
        // After the events: a response to a client that has disconnected is not sent.
        for call in work { call() }
        isDelivering = false
        if !removed.isEmpty { removed = [] }
    }

    private func deliver(_ events: Events, to address: UInt64) {
        // The address of a registration, which is still alive: it is in `registrations`, or in `removed`.
        guard let pointer = unsafe UnsafeRawPointer(bitPattern: UInt(address)) else { return }
        unsafe Unmanaged<Registration>.fromOpaque(pointer)._withUnsafeGuaranteedRef { registration in
            if registration.isActive { registration.handler.handle(events) }
        }
    }

    /// Discards all pending work, and all work that is submitted later. ``runOnce(until:)`` must not be called again.
    package func close() {
        let discarded = submitted.withLock { submitted in
            defer { submitted = Submitted(isClosed: true) }
            return submitted.work
        }
        // The objects that the work retains must be released after the lock.
        withExtendedLifetime(discarded) {}
    }

    private func takeSubmitted() -> [@Sendable () -> Void] {
        submitted.withLock { submitted in
            submitted.isAsleep = false
            guard !submitted.work.isEmpty else { return [] }
            let work = submitted.work
            submitted.work = []
            return work
        }
    }

    private func control(_ operation: Int32, _ descriptor: Int32, _ events: Events, token: UInt64) throws(SystemError) {
        var event = unsafe epoll_event(events: events.rawValue, data: epoll_data_t(u64: token))
        // One event, which outlives the call.
        guard unsafe epoll_ctl(epoll.number, operation, descriptor, &event) == 0 else {
            throw SystemError("watch a descriptor")
        }
    }
}
