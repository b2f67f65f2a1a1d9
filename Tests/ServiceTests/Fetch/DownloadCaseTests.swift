import Foundation
import TestSupport
import Testing

@testable import HTTP
@testable import Service

/// The behaviour of AFNetworking's downloader and image view, case by case, against a running service.
///
/// AFNetworking's cases are public test data next to the checkout. Without them, these tests are skipped.
@Suite(
    .needs(DownloadCase.path),
    // One case has a thousand callers.
    .enabled(if: OpenFiles.permit(4_096), "the hard limit on open files is less than 4 096")
)
struct DownloadCaseTests {
    @Test func `nine cases are skipped, and five are deliberately better`() throws {
        let cases = try DownloadCase.load()
        #expect(cases.count == 58)
        func identifiers(_ isIncluded: (DownloadTreatment) -> Bool) -> [String] {
            cases.filter { isIncluded($0.treatment) }.map(\.id).sorted()
        }
        #expect(
            identifiers { if case .skip = $0 { true } else { false } } == [
                "afi-dl-credential", "afi-dl-edge-progress-of-merged-ignored", "afi-dl-filter-off-main",
                "afi-dl-init-deinit", "afi-dl-lifo-order", "afi-dl-progress-main", "afi-stress-resume-externally",
                "dl-3x-cancel-running-continues", "dl-default-instance",
            ]
        )
        #expect(
            identifiers { if case .better = $0 { true } else { false } } == [
                "afi-dl-edge-cache-key-with-filters-last-wins", "dl-edge-cache-ignores-headers",
                "dl-edge-image-cache-has-no-expiry", "dl-edge-merge-ignores-headers", "dl-edge-same-receipt-id-twice",
            ]
        )
    }

    private static let runs: [DownloadCase] = ((try? DownloadCase.load()) ?? []).filter { one in
        switch one.treatment {
        case .run, .better: true
        case .skip: false
        }
    }

    @Test(arguments: runs, DownloadRun.Mode.allCases)
    func `has the results of AFNetworking`(_ one: DownloadCase, mode: DownloadRun.Mode) throws {
        let run = try DownloadRun(one, mode)
        try run.run()
        try run.check()
    }
}

/// The conversion of cases to steps, with cases of our own.
@Suite struct DownloadCaseParsingTests {
    private func parse(_ text: String, serializer: String = "image_downloader") throws -> DownloadCase {
        let json = #"{"id":"x","serializer":"\#(serializer)",\#(text)}"#
        let object = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
        return try DownloadCase(try #require(object))
    }

    @Test func `downloads have names, receipts and paths`() throws {
        let one = try parse(
            #"""
            "options":{"downloader":{"max_active":2,"prioritization":"LIFO"},"steps":[
              {"op":"download","as":"a","url":"http://img.test/x/y","headers":{"A":"b"},\#
              "cache_policy":"reloadIgnoringLocalCacheData"},
              {"op":"download","url":"u:b","receipt_id":"u","filter":"scale:50x50"},{"op":"download","url":null},
              {"op":"cancel","receipt":"a"},{"op":"wait"},{"op":"release","url":"u:b"}]}
            """#
        )
        #expect(one.maxActive == 2)
        #expect(one.isLIFO)
        #expect(
            one.steps == [
                .download(
                    .init(
                        name: "a",
                        path: "/x/y",
                        fields: ["A": "b"],
                        cachePolicy: "reloadIgnoringLocalCacheData",
                        receipt: "r-a"
                    )
                ),
                .download(.init(name: "2", path: "/u/b", receipt: "u", filter: "scale:50x50")),
                .download(.init(name: "3", path: nil, receipt: "r-3")),
                .cancel(receipt: "r-a"), .wait, .release(path: "/u/b"),
            ]
        )
    }

    @Test func `loops are unrolled`() throws {
        let one = try parse(
            #"""
            "options":{"steps":[{"op":"for","n":2,"do":[{"op":"download","url":"u:{i}"},{"op":"cancel",\#
            "receipt":"last"}]}]}
            """#
        )
        #expect(
            one.steps == [
                .download(.init(name: "1", path: "/u/1", receipt: "r-1")), .cancel(receipt: "r-1"),
                .download(.init(name: "2", path: "/u/2", receipt: "r-2")), .cancel(receipt: "r-2"),
            ]
        )
    }

    @Test func `an image view has a slot`() throws {
        let one = try parse(
            #""options":{"steps":[{"op":"set","as":"a","url":"u:a"},{"op":"cancel"},{"op":"set","url":"u:b","#
                + #""slot":"c"}]}"#,
            serializer: "image_slot"
        )
        #expect(one.downloads.map(\.slot) == ["view", "c"])
        #expect(one.steps[1] == .cancelSlot)
    }

    @Test func `responses are found by path`() throws {
        let one = try parse(
            #"""
            "options":{},"upstream":{"status":302,"url":"http://img.test/a",\#
            "headers":{"Location":"http://img.test/b"},"body_utf8":"",
            "then":{"status":200,"url":"http://img.test/b","headers":{},"body_utf8":"x"}}
            """#
        )
        #expect(one.upstream(for: "/a")?.fields == ["Location": "/b"])
        #expect(one.upstream(for: "/b")?.content == Array("x".utf8))
        #expect(one.upstream(for: "/c") == nil)
    }

    @Test(arguments: [
        (#""status":200,"headers":{}"#, "", ["Cache-Control": "max-age=86400"]),
        (#""status":200,"headers":{"Cache-Control":"no-store"}"#, "", ["Cache-Control": "no-store"]),
        (#""status":404,"headers":{}"#, "", [:]),
        (
            #""status":200,"headers":{}"#, #","headers":{"Accept":"b"}"#,
            ["Cache-Control": "max-age=86400", "Vary": "Accept"]
        ),
    ])
    func `images have a lifetime`(upstream: String, member: String, fields: [String: String]) throws {
        let one = try parse(
            #""options":{"steps":[{"op":"download","url":"u:a"\#(member)}]},"upstream":{"url":"u:a",\#(upstream)}"#
        )
        #expect(one.fields(of: try #require(one.upstream(for: "/u/a"))) == fields)
    }

    @Test func `a downloader can have no cache`() throws {
        #expect(try parse(#""options":{"downloader":{}}"#).hasCache)
        #expect(try !parse(#""options":{"downloader":{"image_cache":null}}"#).hasCache)
    }

    @Test(arguments: [
        (#"{"op":"external_resume_last"}"#, DownloadTreatment.skip("tasks are resumed externally")),
        (#"{"op":"download","url":"u:a"}"#, .run),
        (#"{"op":"download","url":"u:a"},{"op":"download","url":"u:a"}"#, .run),
        (#"{"op":"download","url":"u:a"},{"op":"wait"},{"op":"download","url":"u:a"}"#, .run),
        (#"{"op":"download","url":"u:a"},{"op":"wait"},{"op":"download","url":"u:b"}"#, .run),
        (#"{"op":"download","url":"u:a","cache_key":"k"}"#, .run), (#"{"op":"cache_get","key":"u:a"}"#, .run),
        (#"{"op":"cache_set","key":"u:a"}"#, .skip("only a response of an origin enters the cache")),
        (
            #"{"op":"advance_time","s":1}"#,
            .skip("no test depends on time; the tests of freshness have a clock of their own")
        ),
    ])
    func `the treatment follows from the steps`(steps: String, treatment: DownloadTreatment) throws {
        #expect(
            try parse(#""options":{"steps":[\#(steps)]},"expect":{"value":{"r1":"success"}}"#).treatment == treatment
        )
    }

    @Test func `a case about callback queues alone is skipped`() throws {
        let text = #""options":{"steps":[{"op":"download","url":"u:a"}]},"expect":{"value":{"filter_queue":"main"}}"#
        #expect(try parse(text).treatment == .skip("callback queues"))
    }

    @Test(arguments: [
        ("useProtocolCachePolicy", "default"), ("reloadIgnoringLocalCacheData", "reload"),
        ("returnCacheDataElseLoad", "force-cache"), ("returnCacheDataDontLoad", "only-if-cached"),
        ("reloadIgnoringLocalAndRemoteCacheData", "reload"), ("reloadRevalidatingCacheData", "no-cache"),
    ])
    func `policies have cache modes`(policy: String, mode: String) {
        #expect(DownloadRun.cacheMode(policy) == mode)
    }
}
