package persona

import (
	"context"
	"encoding/json"
	"fmt"
)

const characterRow = "character/"

// SaveCharacter writes a character as JSON to a row of s, durably and atomically. It replaces an existing character
// with the same id. The id has only a-z, 0-9, _ and -. One State can hold many characters.
func SaveCharacter(ctx context.Context, s State, id string, c Character) error {
	if err := checkID(id); err != nil {
		return fmt.Errorf("persona: character: %w", err)
	}
	row, err := json.Marshal(c)
	if err != nil {
		return fmt.Errorf("persona: character %s: %w", id, err)
	}
	if err := s.Apply(ctx, map[string][]byte{characterRow + id: row}); err != nil {
		return fmt.Errorf("persona: character %s: %w", id, err)
	}
	return nil
}

// LoadCharacter reads a character from its row. If there is no such row, ok is false.
func LoadCharacter(ctx context.Context, s State, id string) (c Character, ok bool, err error) {
	if err := checkID(id); err != nil {
		return c, false, fmt.Errorf("persona: character: %w", err)
	}
	rows, err := s.Load(ctx, characterRow+id)
	if err != nil {
		return c, false, fmt.Errorf("persona: character %s: %w", id, err)
	}
	row, ok := rows[characterRow+id] // Load also returns longer keys with this prefix
	if !ok {
		return c, false, nil
	}
	if err := json.Unmarshal(row, &c); err != nil {
		return Character{}, false, fmt.Errorf("persona: character %s: %w", id, err)
	}
	return c, true, nil
}
