/// An object that a ``DeadlineQueue`` contains.
package protocol DeadlineHolder: AnyObject {
    /// Its index in the queue, which only the queue changes. Initially -1.
    var heapIndex: Int { get set }

    /// Called when the deadline of the object has expired. The queue has already removed the object.
    func deadlineReached(at now: MonotonicTime)
}

/// Objects in the order of their deadlines: a binary heap in which each object knows its index.
///
/// Most deadlines are repeatedly postponed and never reached. A postponement need not be reported: when the time in the
/// queue has come, the object is notified, and can add itself again with its actual deadline.
package struct DeadlineQueue: ~Copyable {
    private struct Entry {
        var time: MonotonicTime
        // Not a generic parameter: without specialization, its metadata would be looked up in each iteration of a loop.
        var holder: any DeadlineHolder
    }

    private var heap: [Entry] = []

    package init() {}

    /// The earliest time in the queue; `never` if it is empty.
    package var first: MonotonicTime { heap.isEmpty ? .never : heap[0].time }

    /// All objects, in no particular order.
    package var holders: [any DeadlineHolder] { heap.map(\.holder) }

    /// Adds `holder`, or changes its time.
    package mutating func set(_ holder: any DeadlineHolder, to time: MonotonicTime) {
        if holder.heapIndex < 0 {
            heap.append(Entry(time: time, holder: holder))
            holder.heapIndex = heap.count - 1
            moveUp(heap.count - 1)
        } else {
            let index = holder.heapIndex
            heap[index].time = time
            moveUp(index)
            moveDown(holder.heapIndex)
        }
    }

    /// Removes `holder`. Has no effect if the queue does not contain it.
    package mutating func remove(_ holder: any DeadlineHolder) {
        let index = holder.heapIndex
        guard index >= 0 else { return }
        holder.heapIndex = -1
        let last = heap.removeLast()
        guard index < heap.count else { return }
        heap[index] = last
        last.holder.heapIndex = index
        moveUp(index)
        moveDown(last.holder.heapIndex)
    }

    /// Removes and returns the object with the earliest deadline; `nil` if that deadline is later than `now`.
    package mutating func next(at now: MonotonicTime) -> (any DeadlineHolder)? {
        guard !heap.isEmpty, heap[0].time <= now else { return nil }
        let holder = heap[0].holder
        remove(holder)
        return holder
    }

    private mutating func moveUp(_ start: Int) {
        var index = start
        while index > 0 {
            let parent = (index - 1) / 2
            guard heap[index].time < heap[parent].time else { return }
            exchange(index, parent)
            index = parent
        }
    }

    private mutating func moveDown(_ start: Int) {
        var index = start
        while true {
            var earliest = index
            for child in [2 * index + 1, 2 * index + 2] where child < heap.count {
                if heap[child].time < heap[earliest].time { earliest = child }
            }
            guard earliest != index else { return }
            exchange(index, earliest)
            index = earliest
        }
    }

    private mutating func exchange(_ left: Int, _ right: Int) {
        heap.swapAt(left, right)
        heap[left].holder.heapIndex = left
        heap[right].holder.heapIndex = right
    }
}
