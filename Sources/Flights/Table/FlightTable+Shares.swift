internal import Fetching
internal import Platform

// How flights whose share is exhausted are set aside, and come back: see `FlightShares`.

extension FlightTable {
    /// Whether an origin may not begin a transfer, because too many others are silent.
    func isSilenceFull(_ origin: OriginState) -> Bool {
        !origin.isResponsive && shares.silentActive >= settings.sharedActive
    }

    /// Returns the share of a flight that is exhausted; `nil` if none is.
    func obstacle(of flight: Flight, at now: MonotonicTime) -> Flight.Obstacle? {
        if flight.countsAsUnattended, shares.unattendedActive >= settings.sharedActive { return .unattended }
        let name = flight.callerRequest.partition
        guard let partition = shares.partitions[name], partition.active >= settings.sharedActive,
            shares.hasOthers(than: name, at: now)
        else { return nil }
        return .partition
    }

    /// Moves a flight whose share was exhausted back to the queue of its origin.
    private mutating func readmit(_ flight: Flight, at now: MonotonicTime) {
        guard let origin = origins[flight.origin] else { return }
        shares.move(flight, to: .queued, origin)
        grantTurn(origin, at: now)
    }

    /// Readmits what a share has permits for again, after the end of a transfer.
    mutating func refill(_ partition: PartitionState?, at now: MonotonicTime) {
        var room = settings.sharedActive - shares.unattendedActive
        while room > 0, let flight = shares.backlog.next() {
            readmit(flight, at: now)
            room -= 1
        }
        if let partition {
            let isLimited = shares.hasOthers(than: partition.name, at: now)
            room = (isLimited ? settings.sharedActive : settings.permits.maxActive) - partition.active
            while room > 0, let flight = partition.backlog.next() {
                readmit(flight, at: now)
                room -= 1
            }
        }
        room = settings.sharedActive - shares.silentActive
        while room > 0, let origin = shares.parked.next() { if unpark(origin) { room -= 1 } }
    }

    /// Returns whether the origin was parked.
    @discardableResult
    private mutating func unpark(_ origin: OriginState) -> Bool {
        guard origin.isParked else { return false }
        origin.isParked = false
        turns.append(origin)
        return true
    }

    // MARK: Changes

    /// Records that an origin has responded.
    mutating func responded(_ origin: OriginState, at now: MonotonicTime) {
        origin.lastHead = now
        guard !origin.isResponsive else { return }
        shares.setResponsive(true, origin)
        unpark(origin)
        grantTurn(origin, at: now)
    }

    /// Forgets the last response of an origin after a time.
    mutating func refresh(_ origin: OriginState, at now: MonotonicTime) {
        guard origin.isResponsive, origin.lastHead.map({ $0 + FlightShares.responsiveTime <= now }) ?? true else {
            return
        }
        shares.setResponsive(false, origin)
    }

    /// Counts the clients of a flight again, one of which has come or gone.
    mutating func updateClients(_ flight: Flight, by change: Int, at now: MonotonicTime) {
        flight.clients += change
        shares.setUnattended(flight.clients <= 0, flight, flight.permit == .none ? nil : origins[flight.origin])
        if flight.clients > 0, flight.permit == .setAside(.unattended) { readmit(flight, at: now) }
    }

    /// Whether a flight in the queue may lose its last client.
    func mayBeUnattended(_ flight: Flight) -> Bool {
        switch flight.permit {
        case .none, .held: true
        case .queued, .setAside:
            flight.countsAsUnattended || flight.clients > 1 || shares.unattendedWaiting < settings.sharedQueued
        }
    }
}
