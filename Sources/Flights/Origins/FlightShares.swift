internal import Platform

// Shares of permits and queue places, so that no part of the requests excludes the others.
//
//     silent        the flights of origins that have not responded in the last 10 s
//     unattended    the flights that no client waits for, after 202
//     a partition   if another one has sent a request in the last minute
//
// Each of them has at most half of the permits and half of the queue. For origins and partitions, the half is reserved
// and not taken back: a transfer is never ended in favour of another one.
//
// Example: fetch-max-active=256, and 40 origins accept connections and never respond. Eight of them occupy eight
// permits each, and the others one each, because a quarter of all permits is silent. An origin that was never asked
// begins its first transfer at once, and one that responds has 128 permits in any case.
//
// A flight whose share is exhausted does not stay in the queue of its origin, where it would delay the flights behind
// it: it is set aside, and returns with the end of a transfer of its share.

/// The flights of one partition.
final class PartitionState {
    let name: String
    var active = 0
    var waiting = 0
    var backlog = SparseList<Flight>()

    init(_ name: String) { self.name = name }
}

/// The counts of flights that wait for a permit, or hold one.
struct FlightShares {
    var waiting = 0
    var silentActive = 0
    var silentWaiting = 0
    var unattendedActive = 0
    var unattendedWaiting = 0
    var partitions: [String: PartitionState] = [:]
    /// The flights without clients that are set aside.
    var backlog = SparseList<Flight>()
    /// The origins that wait until the silent transfers are fewer.
    var parked = TurnQueue()
    /// The last two partitions with a request, the latest one first, and the times of their requests.
    private var recent: [(partition: String, time: MonotonicTime)] = []

    /// The time after a response for which an origin is responsive.
    static let responsiveTime = Duration.seconds(10)

    /// The time after a request for which a partition reserves its share.
    static let reservedTime = Duration.seconds(60)

    mutating func record(_ partition: String, at now: MonotonicTime) {
        if recent.first?.partition == partition {
            recent[0].time = now
        } else {
            recent = [(partition: partition, time: now)] + Array(recent.prefix(1))
        }
    }

    /// Whether another partition has sent a request lately.
    func hasOthers(than partition: String, at now: MonotonicTime) -> Bool {
        recent.contains { $0.partition != partition && now < $0.time + Self.reservedTime }
    }

    /// Counts a flight by its permit, or no longer.
    /// - Parameter change: 1 or -1.
    mutating func count(_ flight: Flight, _ origin: OriginState, _ change: Int) {
        switch flight.permit {
        case .none: break
        case .queued, .setAside:
            waiting += change
            origin.waiting += change
            flight.partition?.waiting += change
            if flight.countsAsUnattended { unattendedWaiting += change }
            if !origin.isResponsive { silentWaiting += change }
        case .held:
            origin.active += change
            flight.partition?.active += change
            if flight.countsAsUnattended { unattendedActive += change }
            if !origin.isResponsive { silentActive += change }
        }
    }

    /// Changes the permit of a flight, and with it the list in which it waits.
    mutating func move(_ flight: Flight, to permit: Flight.Permit, _ origin: OriginState) {
        count(flight, origin, -1)
        switch flight.permit {
        case .queued: origin.queue.remove(flight)
        case .setAside(.unattended): backlog.remove(flight)
        case .setAside(.partition): flight.partition?.backlog.remove(flight)
        case .none, .setAside(.pause), .held: break
        }
        flight.permit = permit
        if permit == .none {
            if let partition = flight.partition, partition.active == 0, partition.waiting == 0 {
                partitions[partition.name] = nil
            }
            flight.partition = nil
        } else if flight.partition == nil {
            let name = flight.callerRequest.partition
            let partition = partitions[name] ?? PartitionState(name)
            partitions[name] = partition
            flight.partition = partition
        }
        switch permit {
        case .queued: origin.queue.append(flight)
        case .setAside(.unattended): backlog.append(flight)
        case .setAside(.partition): flight.partition?.backlog.append(flight)
        case .none, .setAside(.pause), .held: break
        }
        count(flight, origin, 1)
    }

    mutating func setUnattended(_ isUnattended: Bool, _ flight: Flight, _ origin: OriginState?) {
        guard flight.countsAsUnattended != isUnattended else { return }
        if let origin { count(flight, origin, -1) }
        flight.countsAsUnattended = isUnattended
        if let origin { count(flight, origin, 1) }
    }

    mutating func setResponsive(_ isResponsive: Bool, _ origin: OriginState) {
        guard origin.isResponsive != isResponsive else { return }
        origin.isResponsive = isResponsive
        let sign = isResponsive ? -1 : 1
        silentActive += sign * origin.active
        silentWaiting += sign * origin.waiting
    }
}
