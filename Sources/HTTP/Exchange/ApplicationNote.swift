/// What the application notes about a request or about a response, and receives again when the exchange is complete
/// (``ExchangeRecord``). This module does not interpret it.
///
/// It is a number and a reference, because a value of an arbitrary type would need memory of the heap for each request.
package struct ApplicationNote: Sendable {
    package var number: UInt64
    package var object: (any AnyObject & Sendable)?

    package init(number: UInt64 = 0, object: (any AnyObject & Sendable)? = nil) {
        self.number = number
        self.object = object
    }
}
