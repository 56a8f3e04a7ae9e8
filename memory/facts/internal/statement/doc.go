// Package statement reads short messages by a small linear model: which kinds of statements a message makes, and where their values stand.
// It learns from examples, and knows nothing of any language.
//
//	m, err := statement.Parse(data)                       // as Train returned it
//	tokens := statement.Tokens(nil, "我搬到成都了", nil)
//	scores := m.Read(tokens)                              // one for each of m.Kinds()
//	span, ok := m.Value(tokens, "place", nil)             // tokens 3 to 5: 成都
//
// A token is a Chinese character, a word, a number or a mark. The features of a message are its runs of up to 4 tokens, and its pairs
// of tokens that are not far apart. The features of a value are the tokens before it, at its ends and after it, its length, and the value as a
// whole. A feature is known by a hash of 29 bits, so now and then two share their weights.
package statement
