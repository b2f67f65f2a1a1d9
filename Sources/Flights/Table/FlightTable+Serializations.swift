internal import Fetching
package import Platform

// The serializations of a response, one for each group of requests with equal options.

extension FlightTable {
    /// Delivers the renditions that exist, and starts the serializations of all others.
    mutating func serialize(_ flight: Flight, at now: MonotonicTime) {
        flight.state = .serializing
        var served = 0
        if let source = flight.source, let cache {
            let path = flight.route.path
            // By the index of the options, so that all requests with equal options receive one copy.
            var renditions: [Int: Rendition?] = [:]
            for waiter in flight.waiters {
                let current =
                    renditions[waiter.rendition]
                    ?? cache.currentRendition(of: source.response, source.key, path, for: waiter.callerRequest)
                renditions.updateValue(current, forKey: waiter.rendition)
                guard let rendition = current else { continue }
                flight.remove(waiter)
                unregister(waiter)
                conclude(waiter, .rendered(rendition.response), at: now, entityTag: rendition.entityTag)
                served += 1
            }
        }
        guard !flight.waiters.isEmpty else { return succeed(flight, served, at: now) }
        for waiter in flight.waiters { serialize(flight, for: waiter) }
    }

    /// Starts the serialization for a request, unless that of its group was started before.
    mutating func serialize(_ flight: Flight, for waiter: Waiter) {
        guard let head = flight.route.hop.head, let content = flight.content,
            !flight.groups.contains(where: { $0.rendition == waiter.rendition })
        else { return }
        let number = nextJob
        nextJob += 1
        jobs[number] = flight
        flight.groups.append(Flight.Group(job: number, rendition: waiter.rendition))
        // RFC 9110 §6.4.1: other responses have no content.
        let hasContent = flight.route.hop.request.method != "HEAD" && head.status != 204 && head.status != 304
        effects.append(
            .serialize(
                FlightJob(
                    number: number,
                    flight: flight.number,
                    callerRequest: waiter.callerRequest,
                    upstream: FlightJob.Upstream(
                        status: head.status,
                        fields: head.fields,
                        method: flight.route.hop.request.method,
                        path: flight.route.path,
                        content: hasContent ? content : nil,
                        memory: flight.memory ?? account.emptyMemory()
                    ),
                    isStored: flight.source != nil,
                    client: waiter.hasClient ? waiter.number : nil
                )
            )
        )
    }

    mutating func drop(_ group: Flight.Group, of flight: Flight) {
        flight.groups.removeAll { $0.job == group.job }
        jobs[group.job] = nil
        effects.append(.drop(job: group.job))
    }

    /// Called with the result of a serialization.
    package mutating func serialized(job: UInt64, _ response: any FlightResponse, at now: MonotonicTime) {
        defer { dispatch(at: now) }
        guard let flight = jobs.removeValue(forKey: job),
            let index = flight.groups.firstIndex(where: { $0.job == job })
        else { return }
        let group = flight.groups.remove(at: index)
        flight.facts.isDecoded = true
        let rendition = storeRendition(response, flight.renditions[group.rendition], flight)
        let members = flight.waiters.filter { $0.rendition == group.rendition }
        for waiter in members {
            flight.remove(waiter)
            unregister(waiter)
            conclude(waiter, .rendered(response), at: now, entityTag: rendition?.entityTag)
        }
        if flight.waiters.isEmpty { succeed(flight, members.count, at: now) }
    }

    /// Keeps what was made of a stored response.
    /// - Returns: the rendition; `nil` if nothing is stored.
    func storeRendition(_ response: any FlightResponse, _ callerRequest: CallerRequest, _ flight: Flight) -> Rendition?
    {
        guard let cache, let source = flight.source else { return nil }
        switch response.verdict {
        case .usable: break
        case .rejected:
            source.response.verdict.reject()
            return nil
        case .unknown: return nil
        }
        let rendition = Rendition(response, revision: source.response.revision, path: flight.route.path)
        cache.insert(rendition, of: callerRequest, below: source.key, source.response)
        return rendition
    }
}
