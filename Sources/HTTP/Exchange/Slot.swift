/// A mutable location for one value, which is put into it and taken out of it.
///
/// Accesses to a stored property of a class would be checked for exclusivity at run time, with about 70 instructions per access
/// (decision 16). Here the value is only moved during an access, so that no accesses can overlap.
final class Slot<Value: ~Copyable> {
    @exclusivity(unchecked) private var value: Value?

    /// Stores `value`, and releases the previous value.
    func put(_ value: consuming Value) {
        // The assignment releases the old value and ends before any other access: a slot is used by one thread.
        unsafe self.value = consume value
    }

    /// Removes and returns the value; `nil` if there is none.
    func take() -> Value? {
        unsafe value.take()
    }

    var isEmpty: Bool {
        unsafe value == nil
    }
}
