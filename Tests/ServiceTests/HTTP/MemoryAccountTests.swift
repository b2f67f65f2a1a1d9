import Glibc
import Testing

@testable import HTTP
@testable import Service

struct MemoryAccountTests {
    @Test func `rejects charges beyond the maximum`() {
        let account = MemoryAccount(maxBytes: 10)
        #expect(account.charge(4))
        #expect(account.charge(6))
        #expect(!account.charge(1))
        #expect(account.usedBytes == 10)
        account.release(6)
        #expect(!account.charge(7))
        #expect(account.charge(6))
    }

    @Test func `a reservation is released with its last reference, and can be resized beyond the maximum`() throws {
        let account = MemoryAccount(maxBytes: 100)
        #expect(account.charge(30))
        do {
            let memory = try account.reserve(70, besides: 30)
            #expect(account.usedBytes == 100)
            #expect(throws: RejectionReason.saturated) { try account.reserve(1, besides: 0) }
            memory.resize(to: 10)
            #expect(account.usedBytes == 40)
            let second = try memory.reserve(60, besides: 0)
            #expect(account.usedBytes == 100)
            second.resize(to: 500)
            #expect(account.usedBytes == 540)
        }
        #expect(account.usedBytes == 30)
    }

    /// Retrying later would not help.
    @Test func `a request that exceeds the whole maximum is not saturation`() throws {
        let account = MemoryAccount(maxBytes: 100)
        #expect(account.charge(100))
        #expect(throws: RejectionReason.neverFits(neededBytes: 101, maxBytes: 100)) {
            try account.reserve(51, besides: 50)
        }
        #expect(throws: RejectionReason.neverFits(neededBytes: .max, maxBytes: 100)) {
            try account.reserve(.max, besides: 1)
        }
        #expect(throws: RejectionReason.saturated) { try account.reserve(50, besides: 50) }
        #expect(account.usedBytes == 100)
    }

    @Test func `rejects content that exceeds the account, and accepts content again after some is released`() throws {
        let server = try TestServer { $0.content.maxBufferedBytes = 100_000 }
        let holder = try server.connect()
        // Only received bytes are charged, not declared ones.
        holder.send(
            "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n" + String(repeating: "x", count: 60_000)
        )
        #expect(eventually { server.http.figures.contentBytes >= 60_000 })

        let client = try server.connect()
        let large = String(repeating: "y", count: 60_000)
        client.send(ExchangeTests.echo(large))
        let refused = try client.readResponse()
        #expect(refused.status == 503)
        #expect(refused.text == "saturated")
        // The connection remains usable, and content that fits is accepted.
        client.send(ExchangeTests.echo(String(repeating: "z", count: 30_000)))
        #expect(try client.readResponse().status == 200)

        holder.send(String(repeating: "x", count: 40_000))
        #expect(eventually { server.http.figures.contentBytes == 0 })
        client.send(ExchangeTests.echo(large))
        #expect(try client.readResponse().text == large)
    }

    /// An envelope that the configuration allowed was larger than the entire account, and was always rejected with 503
    /// and "try again".
    @Test func `content that exceeds the entire account is too large, whether its length is declared or not`() throws {
        let server = try TestServer { $0.content.maxBufferedBytes = 100_000 }
        let content = String(repeating: "x", count: 100_001)
        let declared = try server.exchange(
            "POST /echo HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: \(content.count)\r\n\r\n" + content
        )
        let chunked = try server.exchange(
            "POST /echo HTTP/1.1\r\nHost: a\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n"
                + "\(String(content.count, radix: 16))\r\n\(content)\r\n0\r\n\r\n"
        )
        for response in [declared, chunked] {
            #expect(response.hasPrefix("HTTP/1.1 413 "))
            #expect(response.hasSuffix("contentTooLarge(maxBytes: 100000)"))
        }
    }

    @Test func `leaves less memory for content while clients do not read their responses`() throws {
        let server = try TestServer { $0.content.maxBufferedBytes = 33 << 20 }
        let content = ExchangeTests.echo(String(repeating: "x", count: 1_000_000))
        let client = try server.connect()
        client.send(content)
        #expect(try client.readResponse().status == 200)

        var reader: RawClient? = try server.connect(receiveBufferBytes: 4_096)
        var other: RawClient? = try server.connect(receiveBufferBytes: 4_096)
        for waiting in [reader, other] {
            waiting?.send("GET /large HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(waiting?.staysSilent(for: 30) == false)
        }
        client.send(content)
        #expect(try client.readResponse().text == "saturated")

        reader = nil
        other = nil
        #expect(eventually { server.http.figures.contentBytes == 0 })
        client.send(content)
        #expect(try client.readResponse().status == 200)
    }

    @Test func `a response for which there is no memory becomes a rejection, and the connection stays usable`() throws {
        let server = try TestServer { $0.content.maxBufferedBytes = 32 << 20 }
        var reader: RawClient? = try server.connect(receiveBufferBytes: 4_096)
        reader?.send("GET /large HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(eventually { server.http.figures.contentBytes == 32 << 20 })

        let client = try server.connect()
        client.send("GET /large HTTP/1.1\r\nHost: a\r\n\r\n")
        let rejected = try client.readResponse()
        #expect(rejected.status == 503)
        #expect(rejected.text == "saturated")
        #expect(server.http.figures.contentBytes == 32 << 20)

        reader = nil
        #expect(eventually { server.http.figures.contentBytes == 0 })
        client.send("GET /large HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try client.readResponse().status == 200)
        #expect(eventually { server.http.figures.contentBytes == 0 })
    }

    /// 60 clients without a token that did not read the contract used up the account.
    @Test func `content that exists once is not charged, however many clients do not read it`() throws {
        // The content of 32 MiB would fit once.
        let server = try TestServer { $0.content.maxBufferedBytes = 48 << 20 }
        let waiting = try (0..<8).map { _ in try server.connect(receiveBufferBytes: 4_096) }
        for client in waiting {
            client.send("GET /shared HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(!client.staysSilent(for: 30))
        }
        #expect(server.http.figures.contentBytes == 0)
        let text = String(repeating: "y", count: 60_000)
        let client = try server.connect()
        client.send(ExchangeTests.echo(text))
        #expect(try client.readResponse().text == text)
        withExtendedLifetime(waiting) {}
    }

    @Test func `an empty reservation exists even if the maximum is exceeded, and grants nothing`() {
        let account = MemoryAccount(maxBytes: 100)
        account.occupy(101)
        let memory = account.emptyReservation()
        #expect(memory.denial == nil)
        #expect(!memory.grow(by: 1))
        #expect(memory.denial == .saturated)
        #expect(!memory.grow(by: 101))
        #expect(memory.denial == .neverFits(neededBytes: 101, maxBytes: 100))
        #expect(account.usedBytes == 101)
    }

    @Test func `releases content whose client has disconnected`() throws {
        let server = try TestServer {
            $0.content.maxBufferedBytes = 100_000
        }
        for _ in 0..<5 {
            let client = try server.connect()
            client.send(
                "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 90000\r\n\r\n"
                    + String(repeating: "x", count: 80_000)
            )
            client.endSending()
            #expect(client.isClosed(within: 30))
        }
        #expect(eventually { server.http.figures.contentBytes == 0 })
        let client = try server.connect()
        client.send(ExchangeTests.echo(String(repeating: "y", count: 60_000)))
        #expect(try client.readResponse().status == 200)
    }
}
