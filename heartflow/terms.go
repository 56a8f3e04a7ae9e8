package heartflow

// Terms appends to dst what text is about, as sorted hashes: pairs of neighbouring Han characters, and other words of
// four letters or more, at most 64, without those that are common in any talk. It is what [Moment.Topic] compares.
func Terms(dst []uint32, text string) []uint32 { return terms(dst, text) }

// Shared counts the terms of text that are among any of the topics, which are of [Terms]: each once, four at most.
func Shared(text string, topics ...[]uint32) int { return shared(text, topics...) }
