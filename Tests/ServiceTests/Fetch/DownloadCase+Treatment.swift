import Foundation

/// What the runner does with a case.
enum DownloadTreatment: Equatable {
    case run
    /// The case has no meaning for a service, for this reason.
    case skip(String)
    /// The service is deliberately better than the original. The reason is followed by the members of the expected
    /// value that differ.
    case better(String, expected: [String: DownloadExpectation])
}

/// A value that replaces one of a case.
enum DownloadExpectation: Equatable {
    case count(Int)
    case text(String)
    case texts([String])
    case error(domain: String, code: Int)

    var value: Any {
        switch self {
        case .count(let count): count
        case .text(let text): text
        case .texts(let texts): texts
        case .error(let domain, let code): ["error": [domain, code] as [Any]]
        }
    }
}

extension DownloadCase {
    /// Why the steps of some cases have no meaning for a service.
    private static let otherSteps = [
        "get_default_instance": "a singleton of the original",
        "create": "the lifetime of an object of the original",
        "external_resume_last": "tasks are resumed externally",
        "add_credential": "credentials of a URL session; callers send Authorization in `headers`",
        "enqueue": "the queue itself is inspected; dl-edge-queue-lifo tests its order",
        "cache_set": "only a response of an origin enters the cache",
        "advance_time": "no test depends on time; the tests of freshness have a clock of their own",
    ]

    /// Why some members of expected values have no meaning for a service. A case with nothing else is skipped.
    static let ignoredMembers = [
        "failure_queue": "callback queues", "filter_queue": "callback queues", "progress_queue": "callback queues",
        "r2.progress_calls": "progress", "callback": "callbacks are synchronous or asynchronous",
        "same_image_object": "objects in memory",
        "receipt": "a rejected request has no receipt", "within_s": "no test depends on time",
        "receipts": "each request has a receipt",
        "r1.size": "thumbnails keep the proportions, and are not enlarged",
        "r2.size": "thumbnails keep the proportions, and are not enlarged",
        "request": "request objects", "data": "whether there is content follows from the outcome",
    ]

    var treatment: DownloadTreatment {
        switch id {
        case "dl-edge-merge-ignores-headers":
            return .better(
                "requests with different fields are different requests: the response to one caller's Authorization is "
                    + "not sent to another caller",
                expected: ["network_requests": .count(2), "sent_authorization": .texts(["A", "B"])]
            )
        case "dl-edge-same-receipt-id-twice":
            return .better(
                "cancelling a receipt cancels every request of that name, not the first one only",
                expected: [
                    "r1": .error(domain: "NSURLErrorDomain", code: -999),
                    "r2": .error(domain: "NSURLErrorDomain", code: -999),
                ]
            )
        case "dl-edge-cache-ignores-headers":
            return .better(
                "an origin that chooses by Accept says so with Vary, and then each choice is stored on its own",
                expected: ["network_requests": .count(2)]
            )
        case "dl-edge-image-cache-has-no-expiry":
            return .better(
                "a response with no-store is not stored, at any time",
                expected: ["network_requests": .count(2)]
            )
        case "afi-dl-edge-cache-key-with-filters-last-wins":
            return .better(
                "a cacheKey is that of its own request only, and the image itself is stored under it: thumbnails of "
                    + "different sizes do not replace each other",
                expected: ["cache k": .text("8x6"), "network_requests": .count(2)]
            )
        case "dl-3x-cancel-running-continues":
            return .skip("version 3 of the original; version 4 cancels the transfer")
        default: break
        }
        for case .other(let op) in steps {
            if let reason = Self.otherSteps[op] { return .skip(reason) }
        }
        if hasDesired { return .better("the case states the better behaviour itself", expected: [:]) }
        let members = expected.keys.filter { Self.ignoredMembers[$0] == nil }
        if members.isEmpty, chain.isEmpty, let member = expected.keys.sorted().first,
            let reason = Self.ignoredMembers[member], member != "request"
        {
            return .skip(reason)
        }
        return .run
    }
}
