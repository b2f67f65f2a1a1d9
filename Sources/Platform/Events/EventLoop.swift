internal import CEvents
internal import Glibc

/// What a descriptor is ready for (epoll_ctl(2)).
package struct Events: OptionSet, Sendable {
    package static let readable = Events(rawValue: EPOLLIN.rawValue)
    package static let writable = Events(rawValue: EPOLLOUT.rawValue)
    /// The peer sends nothing more.
    package static let endOfStream = Events(rawValue: EPOLLRDHUP.rawValue)
    /// Always reported.
    package static let error = Events(rawValue: EPOLLERR.rawValue)
    /// Both directions are closed. Always reported.
    package static let hangUp = Events(rawValue: EPOLLHUP.rawValue)
    /// Reports a change once, instead of a state as long as it lasts.
    package static let edgeTriggered = Events(rawValue: EPOLLET.rawValue)

    package let rawValue: UInt32

    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }
}

/// An object that an ``EventLoop`` notifies of the events of a descriptor.
package protocol EventHandler: AnyObject {
    /// Called on the loop's thread.
    func handle(_ events: Events)
}

/// One thread's wait for everything at once: descriptors, work that other threads submit, and a point in time.
///
/// Nothing polls: an idle loop sleeps in epoll_wait(2) until something happens. Everything but ``submit(_:)`` is for the loop's own
/// thread, which calls ``turn(until:)`` again and again.
///
/// @unchecked Sendable: everything but the submitted work, which is in a monitor, and the constants is accessed only by the loop's thread.
@safe package final class EventLoop: @unchecked Sendable {
    /// A descriptor that is watched, until ``remove(_:)``.
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
        var isClosed = false
    }

    private let epoll: FileDescriptor
    private let wakeUp: FileDescriptor
    private let submitted = Monitor(Submitted())

    /// All that are active. The kernel returns their addresses with their events.
    private var registrations: [ObjectIdentifier: Registration] = [:]

    /// Those that were removed while events are delivered: the kernel may have returned their addresses before.
    private var removed: [Registration] = []
    private var isDelivering = false

    /// Space for ``maxEvents``.
    private let buffer: UnsafeMutablePointer<epoll_event>

    /// The time at which the last wait ended. Reading it costs nothing, and it is as old as the current turn at most.
    package var now: MonotonicTime { currentTime }
    private var currentTime = MonotonicTime.now

    /// The number of events that one system call returns. The others follow with the next.
    private static let maxEvents = 256

    /// Marks the events of the descriptor that ends the wait for submitted work. Not an address.
    private static let wakeUpToken = UInt64.max

    package init() throws(SystemError) {
        let epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard epoll >= 0 else { throw SystemError("create an epoll instance") }
        self.epoll = FileDescriptor(owning: epoll, name: "epoll")
        let wakeUp = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))
        guard wakeUp >= 0 else { throw SystemError("create an event descriptor") }
        self.wakeUp = FileDescriptor(owning: wakeUp, name: "eventfd")
        unsafe buffer = .allocate(capacity: Self.maxEvents)
        try control(EPOLL_CTL_ADD, wakeUp, .readable, token: Self.wakeUpToken)
    }

    deinit {
        unsafe buffer.deallocate()
    }

    // MARK: Any thread

    /// Has `work` called once on the loop's thread, after everything that was submitted before.
    ///
    /// Work that is submitted after ``close()`` is discarded.
    package func submit(_ work: @escaping @Sendable () -> Void) {
        let isFirst = submitted.withLock { submitted in
            guard !submitted.isClosed else { return false }
            submitted.work.append(work)
            return submitted.work.count == 1
        }
        if isFirst { wake() }
    }

    private func wake() {
        var one: UInt64 = 1
        // Eight bytes are read from `one`. It fails only if the counter is at its maximum: then the loop wakes up anyway.
        _ = unsafe write(wakeUp.number, &one, 8)
    }

    // MARK: The loop's thread

    /// Notifies `handler`, which is retained, of the events of `descriptor` until ``remove(_:)``.
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

    /// Ends a registration, whose descriptor must still be open. No event is delivered after it.
    package func remove(_ registration: Registration) {
        guard registrations.removeValue(forKey: ObjectIdentifier(registration)) != nil else { return }
        registration.isActive = false
        if isDelivering { removed.append(registration) }
        // The event is ignored; kernels before 2.6.9 needed one.
        _ = epoll_ctl(epoll.number, EPOLL_CTL_DEL, registration.descriptor, nil)
    }

    /// Waits for events until `time` at most, notifies their handlers, and calls the submitted work.
    /// - Parameter time: a time that has passed, to look without waiting.
    package func turn(until time: MonotonicTime) {
        // The buffer has that many elements. An interrupted wait has no events.
        let count = unsafe epoll_wait(epoll.number, buffer, Int32(Self.maxEvents), time.pollMilliseconds)
        let time = MonotonicTime.now
        currentTime = time
        isDelivering = true
        for index in 0..<Int(max(count, 0)) {
            let event = unsafe buffer[index]
            let token = unsafe event.data.u64
            if token == Self.wakeUpToken {
                callSubmitted()
            } else {
                deliver(Events(rawValue: unsafe event.events), to: token)
            }
        }
        isDelivering = false
        if !removed.isEmpty { removed = [] }
    }

    private func deliver(_ events: Events, to address: UInt64) {
        // A registration's address, which is in the table, or among those that were removed in this turn: it is alive.
        guard let pointer = unsafe UnsafeRawPointer(bitPattern: UInt(address)) else { return }
        unsafe Unmanaged<Registration>.fromOpaque(pointer)._withUnsafeGuaranteedRef { registration in
            if registration.isActive { registration.handler.handle(events) }
        }
    }

    /// Discards all work that was not called, and that is submitted later. The loop does not turn again.
    package func close() {
        let discarded = submitted.withLock { submitted in
            defer { submitted = Submitted(isClosed: true) }
            return submitted.work
        }
        // What it refers to may be released without the lock only.
        withExtendedLifetime(discarded) {}
    }

    private func callSubmitted() {
        var count: UInt64 = 0
        // Eight bytes are written to `count`. Reading resets the counter, before the work is taken: later work wakes again.
        _ = unsafe read(wakeUp.number, &count, 8)
        let work = submitted.withLock { submitted in
            let work = submitted.work
            submitted.work = []
            return work
        }
        for call in work { call() }
    }

    private func control(
        _ operation: Int32,
        _ descriptor: Int32,
        _ events: Events,
        token: UInt64
    ) throws(SystemError) {
        var event = unsafe epoll_event(events: events.rawValue, data: epoll_data_t(u64: token))
        // One event, which outlives the call.
        guard unsafe epoll_ctl(epoll.number, operation, descriptor, &event) == 0 else {
            throw SystemError("watch a descriptor")
        }
    }
}
