package lookback

// A Source is embedded by a policy that judges a message by the lines before it. heartflow keeps a [Chat] for each chat
// with such a policy, and fills it by the weights of the Source. A Source without a model asks for nothing.
type Source struct{ model *Model }

// NewSource returns a Source of m, which must not change afterwards; nil is allowed.
func NewSource(m *Model) Source { return Source{m} }

func (s Source) source() *Model { return s.model }

// ModelOf returns the model of a policy that embeds a [Source]; nil for any other policy.
func ModelOf(policy any) *Model {
	if s, ok := policy.(interface{ source() *Model }); ok {
		return s.source()
	}
	return nil
}

// A View is all that a policy gets to see of a [Chat].
type View struct {
	Pace     Pace
	Messages []Message // of the batch that is judged, in its order; empty: the policy has no [Source]
}

// A Message is one message of a batch.
type Message struct {
	Known    bool // false: it has no Features, for it is too old
	Features Features
}

// A Holder is embedded by the input of a policy and holds a [View]. Its field and its method are unexported, so that the
// View is no part of heartflow's API.
type Holder struct{ held View }

func (h *Holder) view() *View { return &h.held }

// ViewOf returns the View of a policy's input, which must embed a [Holder].
func ViewOf(input interface{ view() *View }) *View { return input.view() }
