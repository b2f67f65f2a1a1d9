// Header fields and dates belong to the interface of this module, so that its clients need one import.
@_exported public import Primitives
