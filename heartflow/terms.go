package heartflow

// Terms appends to dst what text is about, as sorted hashes: pairs of neighbouring Han characters, and other words of
// four letters or more, at most 64. It is what [Moment.Topic] compares.
func Terms(dst []uint32, text string) []uint32 { return terms(dst, text) }
