package persona

import (
	"context"
	"encoding/json"
	"fmt"
)

const characterRow = "character/"

// SaveCharacter writes a character to its row, over what was there: durably, whole or not at all. One State may have
// many, each by an id of a-z, 0-9, _ and -. The row is the character's JSON.
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

// LoadCharacter reads a character from its row; ok is false where there is none.
func LoadCharacter(ctx context.Context, s State, id string) (c Character, ok bool, err error) {
	if err := checkID(id); err != nil {
		return c, false, fmt.Errorf("persona: character: %w", err)
	}
	rows, err := s.Load(ctx, characterRow+id)
	if err != nil {
		return c, false, fmt.Errorf("persona: character %s: %w", id, err)
	}
	row, ok := rows[characterRow+id] // others may begin alike
	if !ok {
		return c, false, nil
	}
	if err := json.Unmarshal(row, &c); err != nil {
		return Character{}, false, fmt.Errorf("persona: character %s: %w", id, err)
	}
	return c, true, nil
}
