package lookback

// A Source is embedded by a policy that judges a message by the lines before it. heartflow keeps a [Chat] for each
// chat with such a policy, and fills it with the weights of the Source. A Source without a model needs no Chat.
type Source struct{ model *Model }

// NewSource returns a Source of m. m may be nil, and must not change afterwards.
func NewSource(m *Model) Source { return Source{m} }

func (s Source) source() *Model { return s.model }

// ModelOf returns the model of a policy that embeds a [Source]; nil for any other policy.
func ModelOf(policy any) *Model {
	if s, ok := policy.(interface{ source() *Model }); ok {
		return s.source()
	}
	return nil
}

// A View is the part of a [Chat] that a policy can read.
type View struct {
	Pace     Pace      // zero unless the Model needs it
	Messages []Message // of the judged batch, in its order; empty without a [Source]
}

// A Message is one message of a batch.
type Message struct {
	Known    bool // false: the message is too old and has no Features
	Features Features
}

// A Holder is embedded by the input of a policy and holds a [View]. Its field and its method are unexported, so the
// View is not part of heartflow's API.
type Holder struct{ stored View }

func (h *Holder) view() *View { return &h.stored }

// ViewOf returns the View of a policy's input, which must embed a [Holder].
func ViewOf(input interface{ view() *View }) *View { return input.view() }
