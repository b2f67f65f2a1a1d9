/// The origins whose flights may begin, each once.
struct TurnQueue {
    private var queue: [OriginState] = []
    private var start = 0

    mutating func append(_ origin: OriginState) { queue.append(origin) }

    mutating func next() -> OriginState? {
        guard start < queue.count else { return nil }
        let origin = queue[start]
        start += 1
        if start == queue.count {
            queue.removeAll(keepingCapacity: true)
            start = 0
        } else if start > 256, start * 2 > queue.count {
            queue.removeFirst(start)
            start = 0
        }
        return origin
    }
}
