import Foundation
import Testing

@testable import Service

/// The behaviour of AFNetworking's downloader and image view, case by case, against a running service.
///
/// AFNetworking's cases are public test data next to the checkout. Without them, these tests are skipped.
@Suite(.enabled(if: SharedFolder.has(DownloadCase.path), "the shared cases are not beside this checkout"))
struct DownloadCaseTests {
    /// All cases that are not run as they are. `treatment` derives the reasons from the steps; this table shows the result.
    private static let others: [String: DownloadTreatment] = [
        "dl-default-instance": .skip("a singleton of the original"),
        "dl-3x-cancel-running-continues": .skip("version 3 of the original; version 4 cancels the transfer"),
        "afi-dl-init-deinit": .skip("the lifetime of an object of the original"),
        "afi-dl-progress-main": .skip("callback queues"),
        "afi-dl-filter-off-main": .skip("callback queues"),
        "afi-dl-edge-progress-of-merged-ignored": .skip("progress"),
        "afi-dl-credential": .skip("credentials of a URL session; callers send Authorization in `headers`"),
        "afi-dl-lifo-order": .skip("the queue itself is inspected; dl-edge-queue-lifo tests its order"),
        "afi-stress-resume-externally": .skip("tasks are resumed externally"),
        "dl-should-cache-yes": .needsCache,
        "dl-receipt-nil-for-cached": .needsCache,
        "dl-edge-policy-useProtocolCachePolicy": .needsCache,
        "dl-edge-policy-returnCacheDataDontLoad": .needsCache,
        "dl-edge-policy-reloadIgnoringLocalAndRemoteCacheData": .needsCache,
        "dl-edge-cache-ignores-headers": .needsCache,
        "dl-edge-image-cache-has-no-expiry": .needsCache,
        "slot-cache-nil-response": .needsCache,
        "slot-edge-ignores-cache-policy": .needsCache,
        "afi-dl-not-cached-by-policy": .needsCache,
        "afi-dl-auto-caches": .needsCache,
        "afi-dl-edge-custom-cache-key": .needsCache,
        "afi-dl-edge-cache-key-with-filters-last-wins": .needsCache,
        "dl-edge-merge-ignores-headers": .better(
            "requests with different fields are different requests: the response to one caller's Authorization is not sent to "
                + "another caller",
            expected: ["network_requests": .count(2), "sent_authorization": .texts(["A", "B"])]
        ),
        "dl-edge-same-receipt-id-twice": .better(
            "cancelling a receipt cancels every request of that name, not the first one only",
            expected: [
                "r1": .error(domain: "NSURLErrorDomain", code: -999),
                "r2": .error(domain: "NSURLErrorDomain", code: -999),
            ]
        ),
    ]

    @Test func `each case that is not run has a reason`() throws {
        let cases = try DownloadCase.load()
        #expect(cases.count == 58)
        let found = cases.filter { $0.treatment != .run }
        #expect(Dictionary(uniqueKeysWithValues: found.map { ($0.id, $0.treatment) }) == Self.others)
    }

    private static let runs: [DownloadCase] = ((try? DownloadCase.load()) ?? []).filter { one in
        switch one.treatment {
        case .run, .better: true
        case .skip, .needsCache: false
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
              {"op":"download","as":"a","url":"http://img.test/x/y","headers":{"A":"b"},"cache_policy":"reloadIgnoringLocalCacheData"},
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
            "options":{"steps":[{"op":"for","n":2,"do":[{"op":"download","url":"u:{i}"},{"op":"cancel","receipt":"last"}]}]}
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
            #""options":{"steps":[{"op":"set","as":"a","url":"u:a"},{"op":"cancel"},{"op":"set","url":"u:b","slot":"c"}]}"#,
            serializer: "image_slot"
        )
        #expect(one.downloads.map(\.slot) == ["view", "c"])
        #expect(one.steps[1] == .cancelSlot)
    }

    @Test func `responses are found by path`() throws {
        let one = try parse(
            #"""
            "options":{},"upstream":{"status":302,"url":"http://img.test/a","headers":{"Location":"http://img.test/b"},"body_utf8":"",
            "then":{"status":200,"url":"http://img.test/b","headers":{},"body_utf8":"x"}}
            """#
        )
        #expect(one.upstream(for: "/a")?.fields == ["Location": "/b"])
        #expect(one.upstream(for: "/b")?.content == Array("x".utf8))
        #expect(one.upstream(for: "/c") == nil)
    }

    @Test(arguments: [
        (#"{"op":"external_resume_last"}"#, DownloadTreatment.skip("tasks are resumed externally")),
        (#"{"op":"download","url":"u:a"}"#, .run),
        (#"{"op":"download","url":"u:a"},{"op":"download","url":"u:a"}"#, .run),
        (#"{"op":"download","url":"u:a"},{"op":"wait"},{"op":"download","url":"u:a"}"#, .needsCache),
        (#"{"op":"download","url":"u:a"},{"op":"wait"},{"op":"download","url":"u:b"}"#, .run),
        (#"{"op":"download","url":"u:a","cache_key":"k"}"#, .needsCache), (#"{"op":"cache_get"}"#, .needsCache),
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
