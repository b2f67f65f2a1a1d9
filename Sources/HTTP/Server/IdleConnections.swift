internal import Platform

/// The connections of a loop that wait for a request, in the order in which they began to wait: a list whose links are
/// stored in the connections, so that each operation takes constant time.
///
/// Neighbors retain each other until one of them is removed, which happens at the latest when its connection ends.
struct IdleConnections {
    /// The connection that has waited longest; `nil` if there is none.
    private(set) var first: Connection?
    private var last: Connection?

    /// Adds `connection`, or moves it to the end of the list, because it begins to wait now.
    mutating func append(_ connection: Connection, at now: MonotonicTime) {
        connection.idleSince = now
        guard connection !== last else { return }
        remove(connection)
        connection.isInIdleList = true
        connection.previousIdle = last
        if let last { last.nextIdle = connection } else { first = connection }
        last = connection
    }

    /// Removes `connection`. Has no effect if it is not in the list.
    mutating func remove(_ connection: Connection) {
        guard connection.isInIdleList else { return }
        connection.isInIdleList = false
        let (previous, next) = (connection.previousIdle, connection.nextIdle)
        connection.previousIdle = nil
        connection.nextIdle = nil
        if let previous { previous.nextIdle = next } else { first = next }
        if let next { next.previousIdle = previous } else { last = previous }
    }
}
