import Serialization
import Testing

@testable import HTTP
@testable import Service

/// Tests the selection by `Accept-Encoding` and `Want-Repr-Digest`.
@Suite struct AcceptedCodingsTests {
    private func codings(_ fields: [String]) -> AcceptedCodings {
        var codings = AcceptedCodings()
        for field in fields { codings.add(field.utf8.span) }
        return codings
    }

    @Test(arguments: [
        ("gzip", true), ("x-gzip", true), ("GZip", true), ("*", true), ("gzip;q=0.001", true), ("gzip; q=1.000", true),
        ("br, gzip;q=0.8, *;q=0.1", true), ("deflate,gzip", true), ("gzip;q=1,identity;q=0.5", true),
        ("gzip ; Q=.5", true),
        ("gzip;q=0.5,identity;q=0.5", true), ("identity;q=0,*", true), ("*;q=0, gzip", true), (" , gzip ,", true),
        ("gzip;level=1;q=0.2", true), ("gzip;q=0,x-gzip", true),
        ("", false), ("identity", false), ("gzip;q=0", false), ("gzip;q=0.000", false), ("*;q=0", false), ("br", false),
        ("gzip;q=0,*", false), ("gzip;q=0.5,identity", false), ("gzip;q=2", false), ("gzip;q=-1", false),
        ("gzip;q=", false),
        ("gzip;q=0.0001", false), ("gzipped", false), ("gz,ip", false), ("gzip;q=1.001", false), (";q=1", false),
    ])
    func `gzip is sent to clients that prefer it`(field: String, expected: Bool) {
        #expect(codings([field]).prefersGzip == expected)
    }

    @Test func `several fields are one list`() {
        #expect(codings(["br", "gzip;q=0.5"]).prefersGzip)
        #expect(!codings(["gzip;q=0.5", "identity"]).prefersGzip)
        #expect(!codings([]).prefersGzip)
    }

    @Test(arguments: [
        ("identity;q=0", true), ("*;q=0", true), ("identity;q=0.0, gzip", true), ("identity, *;q=0", false),
        ("gzip", false),
        ("", false), ("identity;q=0.1", false),
    ])
    func `content without a coding is acceptable unless it is excluded`(field: String, expected: Bool) {
        #expect(codings([field]).rejectsIdentity == expected)
    }

    @Test func `a long field is read`() {
        let long = String(repeating: "br;q=0.1,", count: 900) + "gzip"
        #expect(codings([long]).prefersGzip)
        #expect(!codings([String(repeating: ",;", count: 4_000)]).prefersGzip)
    }

    // MARK: Want-Repr-Digest

    @Test(arguments: [
        "sha-256=1", "sha-256=10, sha-512=3", "sha-256=3,sha-512=10", "md5=10, sha-256=1", "sha-512=0, sha-256=1",
        "sha-256=1;x=\"a,b\"", "a=\"x, sha-512=10\", sha-256=2", "b=:AAA=:,sha-256=2",
        "c=(1 2 \"3\");d, sha-256=2", "d, e=?1, f=@1659578233, g=%\"f%c3\", sha-256=9",
        "sha-256=1, sha-256=2, sha-512=1", " sha-256=1 ", "sha-512=5\t,\tsha-256=6", "sha-256=0, sha-256=1",
        "x=tok/en:1, sha-256=1", "unix=-5.25, sha-256=1",
    ])
    func `SHA-256 is recognized among other algorithms`(field: String) {
        let isWanted = WantedDigest.includesSHA256(in: field.utf8.span)
        #expect(isWanted)
    }

    @Test(arguments: [
        "", "md5=10", "sha-512=10", "sha-256=0", "sha-256", "sha-256=11", "sha-256=-1", "sha-256=1.5", "sha-256=\"5\"",
        "SHA-256=1",
        "sha-256=1,", "sha-256=1 sha-512=2", "sha-256 = 1", "sha-256=", ",sha-256=1", "sha-256=1;", "sha-256=(1",
        "sha-256=1, x=\"open", "sha-256=1, x=:A", "sha-256=99999999999999999", "sha-256=1, sha-256=0", "\u{0}",
        "sha-256=1, é=1",
        "sha-256=1, x=?2", "sha-256=1;A=1", "sha-256=1, x=(1,2)",
    ])
    func `no digest is wanted if SHA-256 is not acceptable, or the field is not a dictionary`(field: String) {
        let isWanted = WantedDigest.includesSHA256(in: field.utf8.span)
        #expect(!isWanted)
    }
}
