package persona

// A Mode is the role in which the bot acts. It is derived from the source of the input, never from the text.
type Mode uint8

const (
	// Persona is the bot as a chat member. It is the zero Mode and has the least authority.
	Persona Mode = iota
	// Agent is the bot as the assistant of its owner. Only code can select it, never a message.
	Agent
)

// String returns "persona" or "agent". An invalid value is "persona", because it has the same rights.
func (m Mode) String() string {
	if m == Agent {
		return "agent"
	}
	return "persona"
}
