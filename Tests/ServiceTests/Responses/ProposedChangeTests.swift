import Testing

@testable import Service

/// Applies every change that a problem proposes, as a client would that does not know its meaning.
@Suite struct ProposedChangeTests {
    private static let seeds = 0..<UInt64(1_500)

    /// The problems of all inputs that propose a change, with what it leads to.
    private static let proposals: Result<[Proposal], any Error> = Result {
        let run = ResponseRun()
        return try seeds.compactMap { seed in
            let input = FaultyInput(seed: seed)
            let response = try run.send(input.row.target, input.row.fields, input.content)
            guard let problem = ResponseRun.Problem(response), let change = problem.change else { return nil }
            let changed = try run.send(change.applied(to: input.row.target), input.row.fields, input.content)
            return Proposal(seed: seed, input: input, problem: problem, change: change, changed: changed)
        }
    }

    private struct Proposal {
        var seed: UInt64
        var input: FaultyInput
        var problem: ResponseRun.Problem
        var change: ProposedChange
        var changed: LocalExchange
    }

    @Test func `the change that a problem proposes for a faulty input is accepted`() throws {
        let proposals = try Self.proposals.get()
        #expect(proposals.count >= 300)
        for proposal in proposals where proposal.changed.status >= 400 {
            // A corrected option says nothing about the content, which may have a fault of its own.
            let other = ResponseRun.Problem(proposal.changed)
            if proposal.problem.cause == "request", let other, other.code != proposal.problem.code { continue }
            Issue.record("seed \(proposal.seed): \(proposal.change) for \(proposal.input): \(proposal.changed.content)")
        }
    }

    /// Otherwise the inputs are too few, or too similar.
    @Test func `faulty inputs lead to proposals of every kind`() throws {
        let names = Set(try Self.proposals.get().map(\.change.name))
        let expected: Set = [
            "accept-status", "accept-types", "duplicates", "fragments", "lenient", "max-nesting-depth", "nulls", "path",
            "prefixes", "profile", "records", "serializer", "surrogates", "truncated", "type",
        ]
        #expect(expected.subtracting(names) == [])
    }
}
