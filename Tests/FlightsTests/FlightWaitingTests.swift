import Fetching
import Platform
import Primitives
import Testing

@testable import Flights

/// Requests that wait without a client, and slots.
@Suite struct FlightWaitingTests {
    // MARK: Waiting

    @Test func `a result is kept after 202, and retrieved by its receipt`() throws {
        let flights = FlightFixture()
        let request = try flights.join { callerRequest in
            callerRequest.receipt = "a"
            callerRequest.wait = .seconds(2)
        }
        flights.wait(.milliseconds(1_999))
        #expect(flights.result(request) == nil)
        flights.wait(.milliseconds(1))
        #expect(flights.result(request) == .postponed(receipt: "a"))
        #expect(flights.result(flights.lookUp("a")) == .postponed(receipt: "a"))
        // The client may disconnect now.
        flights.leave(request)
        try flights.respond(1)
        flights.serialize()
        #expect(flights.result(flights.lookUp("a")) == .rendered(status: 200))
        #expect(flights.result(flights.lookUp("a", in: "p")) == .reply(.missing))
        #expect(flights.result(flights.lookUp("b")) == .reply(.missing))
        flights.wait(.seconds(10))
        #expect(flights.result(flights.lookUp("a")) == .reply(.missing))
        #expect(flights.account.usedBytes == 0)
    }

    @Test func `a wait of zero is 202 at once`() throws {
        let flights = FlightFixture()
        let request = try flights.join { $0.wait = .zero }
        #expect(flights.result(request) == .postponed(receipt: "r"))
        #expect(flights.started == [1])
    }

    @Test func `repeating a request that has a wait receives the kept result`() throws {
        let flights = FlightFixture()
        try flights.join { $0.wait = .zero }
        try flights.respond(1)
        flights.serialize()
        let again = try flights.join { callerRequest in
            callerRequest.receipt = "other"
            callerRequest.wait = .zero
        }
        #expect(flights.result(again) == .rendered(status: 200))
        #expect(flights.started == [1])
        // One without a wait asks the origin.
        try flights.join()
        #expect(flights.started == [1, 2])
    }

    @Test func `a result that must not be shared is available by its receipt only`() throws {
        let flights = FlightFixture()
        try flights.join { $0.wait = .zero }
        try flights.respond(1, 200, [("Cache-Control", "private")])
        flights.serialize()
        let again = try flights.join { callerRequest in
            callerRequest.receipt = "other"
            callerRequest.wait = .zero
        }
        #expect(flights.result(again) == .postponed(receipt: "other"))
        #expect(flights.result(flights.lookUp("r")) == .rendered(status: 200))
    }

    @Test func `a problem is kept too`() throws {
        let flights = FlightFixture()
        try flights.join { callerRequest in
            callerRequest.wait = .zero
            callerRequest.timeout = .seconds(3)
        }
        flights.wait(.seconds(3))
        #expect(flights.result(flights.lookUp("r")) == .failed(.timedOut))
    }

    /// A shorter timeout is that of its caller.
    @Test(arguments: [true, false])
    func `the end of a lowered timeout is kept for its receipt only`(isLowered: Bool) throws {
        let flights = FlightFixture()
        try flights.join { callerRequest in
            callerRequest.wait = .zero
            callerRequest.timeout = .seconds(3)
            callerRequest.lowersTimeout = isLowered
        }
        flights.wait(.seconds(3))
        let other = try flights.join { callerRequest in
            callerRequest.receipt = "other"
            callerRequest.wait = .zero
        }
        #expect(flights.result(other) == (isLowered ? .postponed(receipt: "other") : .failed(.timedOut)))
        #expect(flights.result(flights.lookUp("r")) == .failed(.timedOut))
    }

    @Test func `a request without a client can be cancelled`() throws {
        let flights = FlightFixture()
        try flights.join { $0.wait = .zero }
        #expect(flights.result(flights.cancel(receipt: "r")) == .reply(.cancelled(1)))
        #expect(flights.cancelledTransfers == [1])
        #expect(flights.result(flights.lookUp("r")) == .failed(.cancelled))
    }

    @Test func `requests and results without a client use the memory for requests`() throws {
        let flights = FlightFixture(memoryBytes: 10_000)
        let first = try flights.join("https://a.example/1") { $0.wait = .zero }
        let second = try flights.join("https://a.example/2") { $0.wait = .zero }
        let third = try flights.join("https://a.example/3") { $0.wait = .zero }
        #expect(flights.result(first) == .postponed(receipt: "r"))
        #expect(flights.result(second) == .postponed(receipt: "r"))
        #expect(flights.result(third) == .failed(.memory))
        #expect(flights.account.usedBytes > 8_000)
    }

    // MARK: Slots

    @Test func `a request of another resource supersedes the earlier one in its slot`() throws {
        let flights = FlightFixture()
        let first = try flights.join("https://a.example/1") { $0.slot = "s" }
        let second = try flights.join("https://a.example/2") { $0.slot = "s" }
        #expect(flights.result(first) == .failed(.superseded))
        #expect(flights.cancelledTransfers == [1])
        try flights.respond(2)
        flights.serialize()
        #expect(flights.result(second) == .rendered(status: 200))
        flights.checkIsEmpty()
    }

    @Test func `a request of the same resource joins the earlier one in its slot`() throws {
        let flights = FlightFixture()
        let first = try flights.join { $0.slot = "s" }
        let second = try flights.join { $0.slot = "s" }
        try flights.respond(1)
        flights.serialize()
        #expect(flights.result(first) == .rendered(status: 200) && flights.result(second) == .rendered(status: 200))
    }

    @Test func `superseding leaves others of the same flight alone, and other slots and partitions too`() throws {
        let flights = FlightFixture()
        let shown = try flights.join { $0.slot = "s" }
        let other = try flights.join()
        let elsewhere = try flights.join { $0.slot = "t" }
        let tenant = try flights.join { callerRequest in
            callerRequest.slot = "s"
            callerRequest.partition = "p"
        }
        try flights.join("https://a.example/2") { $0.slot = "s" }
        #expect(flights.result(shown) == .failed(.superseded))
        #expect([other, elsewhere, tenant].allSatisfy { flights.result($0) == nil })
        #expect(flights.cancelledTransfers == [])
    }

    @Test func `a slot is cancelled`() throws {
        let flights = FlightFixture()
        let request = try flights.join { $0.slot = "s" }
        #expect(flights.result(flights.cancel(slot: "s", in: "p")) == .reply(.missing))
        #expect(flights.result(flights.cancel(slot: "s")) == .reply(.cancelled(1)))
        #expect(flights.result(request) == .failed(.cancelled))
        #expect(flights.result(flights.cancel(slot: "s")) == .reply(.missing))
    }

    @Test func `a kept result supersedes too`() throws {
        let flights = FlightFixture()
        try flights.join { $0.wait = .zero }
        try flights.respond(1)
        flights.serialize()
        let shown = try flights.join("https://a.example/2") { $0.slot = "s" }
        let kept = try flights.join { callerRequest in
            callerRequest.wait = .zero
            callerRequest.slot = "s"
        }
        #expect(flights.result(kept) == .rendered(status: 200))
        #expect(flights.result(shown) == .failed(.superseded))
    }
}
