import Fetching
import Foundation
import Origin
import Testing

@Suite(.enabled(if: CertificateAuthority.isAvailable && TLSFront.isAvailable, "openssl or python3 is not installed"))
struct TLSTests {
    private typealias Cause = TestFetcher.Cause

    /// An origin behind TLS, and a fetcher that trusts the authority.
    private struct Setting {
        let authority: CertificateAuthority
        let origin: Origin
        let front: TLSFront
        let fetcher: TestFetcher

        init(_ kind: CertificateAuthority.Kind = .valid, handshake: TLSFront.Handshake = .complete) throws {
            let authority = try CertificateAuthority()
            self.authority = authority
            origin = try Origin()
            front = try TLSFront(authority.issue(kind), before: origin, handshake: handshake)
            fetcher = try TestFetcher { $0.caFile = authority.path }
        }

        func fetch(_ path: String) throws -> TestFetcher.Result {
            try fetcher.fetch("https://127.0.0.1:\(front.port)\(path)")
        }
    }

    @Test func `content is delivered, and the connection is used again`() throws {
        let setting = try Setting()
        let first = try setting.fetch("/content/100000")
        #expect(first.content == Script.pattern(100_000), "\(String(describing: first.failure))")
        #expect(first.end?.timings.tls != nil)
        let second = try setting.fetch("/json/5")
        #expect(second.content == Script.json(5))
        #expect(second.end?.timings.tls == nil && second.end?.timings.connect == nil)
        #expect(setting.origin.recordedRequests.map(\.connection) == [1, 1])
    }

    /// The head is a record of TLS. Another one contains the content and the bytes, and libcurl reads only the content:
    /// nothing is left in the socket, but in OpenSSL.
    @Test func `a connection with unread bytes is not used again`() throws {
        let setting = try Setting()
        let content = Script.argument("firstHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nextra")
        let url = "https://127.0.0.1:\(setting.front.port)/length/5/hold-content/gate/text/\(content)"
        let id = try setting.fetcher.start(TestFetcher.Request(url))
        var received: [UInt8] = []
        var isComplete = false
        while !isComplete {
            switch try setting.fetcher.next(of: id) {
            case .head: setting.origin.release("gate")
            case .data(_, let piece): received += piece
            case .end: isComplete = true
            case .failed, .pong, .ready: throw TestFetcher.Failure(words: "the transfer has failed")
            }
        }
        #expect(received == Array("first".utf8))
        #expect(try setting.fetch("/text/second").text == "second")
        #expect(setting.origin.recordedRequests.map(\.connection) == [1, 2])
    }

    @Test(arguments: CertificateAuthority.Kind.allCases.filter { $0 != .valid })
    func `a certificate that is not trusted is told from a failed handshake`(kind: CertificateAuthority.Kind) throws {
        let setting = try Setting(kind)
        let result = try setting.fetch("/")
        #expect(result.cause == Cause(failure: .certificateUntrusted, phase: .tls), "\(result)")
        #expect(setting.origin.requestCount == 0)
    }

    @Test(arguments: [TLSFront.Handshake.reset, .garbage, .oldVersion])
    func `a failed handshake is a failure of TLS`(handshake: TLSFront.Handshake) throws {
        let setting = try Setting(handshake: handshake)
        let result = try setting.fetch("/")
        #expect(result.cause == Cause(failure: .tlsFailed, phase: .tls), "\(result)")
    }

    @Test func `an authority that is not in the file is not trusted`() throws {
        let setting = try Setting()
        let other = try CertificateAuthority()
        let fetcher = try TestFetcher { $0.caFile = other.path }
        let result = try fetcher.fetch("https://127.0.0.1:\(setting.front.port)/")
        #expect(result.cause == Cause(failure: .certificateUntrusted, phase: .tls), "\(result)")
    }

    @Test func `without the file nothing is trusted`() throws {
        let setting = try Setting()
        let fetcher = try TestFetcher { $0.caFile = "/nonexistent/ca.pem" }
        let result = try fetcher.fetch("https://127.0.0.1:\(setting.front.port)/")
        #expect(result.cause == Cause(failure: .tlsFailed, phase: .tls), "\(result)")
    }

    @Test func `the list of certificates is read once`() throws {
        let setting = try Setting()
        #expect(try setting.fetch("/json/1").content == Script.json(1))
        try FileManager.default.removeItem(atPath: setting.authority.path)
        let result = try setting.fetcher.fetch("https://127.0.0.1:\(setting.front.port)/") { $0.method = "POST" }
        #expect(result.head?.status == 200, "\(result)")
        #expect(result.end?.timings.tls != nil)
    }

    @Test func `an origin without TLS is a failure of TLS`() throws {
        let origin = try Origin()
        let fetcher = try TestFetcher()
        let result = try fetcher.fetch("https://127.0.0.1:\(origin.port)/") { $0.timeouts.connect = 2_000 }
        #expect(result.cause?.phase == .tls, "\(result)")
    }

    @Test func `content that a connection cuts off is not complete`() throws {
        let setting = try Setting()
        let result = try setting.fetch("/reset/in-content/until-close/content/1000")
        #expect(result.cause == Cause(failure: .connectionLost, phase: .content), "\(result)")
    }
}
