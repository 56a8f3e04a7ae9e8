package memory

import "context"

// Position returns the Seq of the last record of a space that a reader of this name has processed, or 0. Erasing the space deletes it.
func Position(ctx context.Context, m *Memory, s Space, reader string) (seq uint64, err error) {
	if err := s.Validate(); err != nil {
		return 0, err
	}
	_, err = m.state.decodeRow(ctx, row(s, "position", reader), &seq)
	return seq, err
}

// SetPosition stores the position of a reader in a space. Without a [State] it returns [ErrNoState].
func SetPosition(ctx context.Context, m *Memory, s Space, reader string, seq uint64) error {
	if err := s.Validate(); err != nil {
		return err
	}
	return m.state.apply(ctx, map[string][]byte{row(s, "position", reader): encode(seq)})
}
