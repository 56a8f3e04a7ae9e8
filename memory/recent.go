package memory

import (
	"context"
	"slices"
)

// Recent returns the last n messages of a space, oldest first. Use it for the chat history. It is fast if the store is
// a [Tailer]. Otherwise it scans the space.
func (m *Memory) Recent(ctx context.Context, s Space, n int) ([]Record, error) {
	if n <= 0 {
		return nil, nil
	}
	if t, ok := m.store.(Tailer); ok {
		return t.Tail(ctx, s, KindMessage, n)
	}
	var last []Record
	for r, err := range m.store.Scan(ctx, s, 0) {
		if err != nil {
			return nil, err
		}
		if r.Kind != KindMessage {
			continue
		}
		if last = append(last, r); len(last) >= 2*n {
			last = slices.Delete(last, 0, len(last)-n)
		}
	}
	return last[max(0, len(last)-n):], nil
}

// RecentTurns returns the messages of the last n turns, limited to the last limit messages. Without pauses, a turn can be
// very long.
func (m *Memory) RecentTurns(ctx context.Context, s Space, n, limit int) ([]Record, error) {
	if n <= 0 || limit <= 0 {
		return nil, nil
	}
	for ask := min(n, 1000); ; ask *= 4 {
		ask = min(ask, limit)
		last, err := m.Recent(ctx, s, ask)
		if err != nil {
			return nil, err
		}
		turns := LastTurns(last, n)
		if len(turns) < len(last) || ask == limit || len(last) < ask {
			return turns, nil
		}
	}
}

// LastTurns returns the messages of the last n turns. The messages must be sorted, oldest first. A turn begins with the
// first message of another person after one of the bot. A pause of more than a minute also begins a turn.
func LastTurns(messages []Record, n int) []Record {
	if n <= 0 {
		return nil
	}
	turns := 1
	for i := len(messages) - 1; i > 0; i-- {
		if !turnBegins(messages[i-1], messages[i]) {
			continue
		}
		if turns == n {
			return messages[i:]
		}
		turns++
	}
	return messages
}
