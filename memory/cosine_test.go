package memory

// NewCosineIndex is for tests outside this package.
func NewCosineIndex() Index { return newCosineIndex() }
