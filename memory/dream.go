package memory

// dreamt is how far the dreams of a space have come.
type dreamt struct {
	Last uint64 `json:"last"`          // Seq of the last message that was dreamed of
	Plan *plan  `json:"plan,omitzero"` // what is being written down
}

type plan struct{}
