package outside

import (
	"context"
	"fmt"

	"github.com/hearth-bot/hearth/persona"
)

// characterID is the row of the program's only bot.
const characterID = "bot"

// Character returns the character to start with, and stores it in the file of -db. If the flags give one, it replaces the
// stored one. Otherwise the stored one counts, so that -db alone starts the same bot again. Without either it is who. Call
// it before [Store]. Without a file it stores nothing.
func Character(ctx context.Context, file string, who persona.Character, given bool) (persona.Character, error) {
	if file == "" {
		return who, nil
	}
	s, end, err := Store(file)
	if err != nil {
		return who, err
	}
	defer end()
	if !given {
		stored, ok, err := persona.LoadCharacter(ctx, s, characterID)
		if err != nil {
			return who, fmt.Errorf("-db: %w", err)
		}
		if ok {
			return stored, nil
		}
	}
	return who, persona.SaveCharacter(ctx, s, characterID, who)
}
