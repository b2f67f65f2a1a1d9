extension XMLTape {
    /// The first `Fault` of a SOAP message, 1.1 or 1.2, or `nil` if there is none.
    var soapFault: Int? {
        let envelope = root
        guard isSOAP(envelope, "Envelope") else { return nil }
        var child = content(of: envelope).lowerBound
        while child < end(at: envelope) {
            if isSOAP(child, "Body") {
                var grandchild = content(of: child).lowerBound
                while grandchild < end(at: child) {
                    if isSOAP(grandchild, "Fault") { return grandchild }
                    grandchild = next(after: grandchild)
                }
            }
            child = next(after: child)
        }
        return nil
    }

    private func isSOAP(_ index: Int, _ local: StaticString) -> Bool {
        guard kind(at: index) == .element else { return false }
        let name = name(name(at: index))
        return isEqual(name.local, local)
            && isEqual(
                name.namespace,
                anyOf: ["http://schemas.xmlsoap.org/soap/envelope/", "http://www.w3.org/2003/05/soap-envelope"]
            )
    }
}
