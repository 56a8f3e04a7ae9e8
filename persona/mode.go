package persona

// A Mode is which of its two lives a being is in. It follows from where input came in, never from what the input
// says.
type Mode uint8

const (
	// Persona is the being as an individual among people: the zero Mode, with the least authority.
	Persona Mode = iota
	// Agent is the being as its owner's assistant. Only code can ask for it.
	Agent
)

// String gives "persona" or "agent"; a value that is neither is written as "persona", for it has no more rights.
func (m Mode) String() string {
	if m == Agent {
		return "agent"
	}
	return "persona"
}
