internal import Synchronization

/// The state that `GET /readyz` reports.
final class Readiness: Sendable {
    enum State: String, Sendable {
        case starting
        case ready
        case draining
    }

    private let current: Mutex<State>

    init(_ state: State = .starting) { current = Mutex(state) }

    var state: State {
        get { current.withLock { $0 } }
        set { current.withLock { $0 = newValue } }
    }
}
