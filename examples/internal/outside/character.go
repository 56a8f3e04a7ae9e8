package outside

import (
	"context"
	"errors"
	"os"

	"github.com/hearth-bot/hearth/examples/internal/lang"
	"github.com/hearth-bot/hearth/persona"
)

// characterID is the row of the program's only bot.
const characterID = "bot"

// ReadPersona reads the directory of the flag -persona.
func ReadPersona(dir string) (persona.Character, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return persona.Character{}, lang.Errorf("-persona 打不开：%v", "-persona: %v", err)
	}
	defer root.Close()
	who, err := persona.ReadCharacter(root.FS())
	if errors.Is(err, persona.ErrInvalidCharacter) {
		err = lang.Errorf("人设不对，目录里要有 persona.json，例如 {\"name\": \"小炉\"}（%v）", "%v; the directory needs a persona.json such as {\"name\": \"小炉\"}", err)
	}
	if err != nil {
		return who, lang.Errorf("-persona %s：%v", "-persona %s: %v", dir, err)
	}
	return who, nil
}

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
			return who, lang.Errorf("-db %s 里存的人设读不了：%v", "-db %s: the stored character: %v", file, err)
		}
		if ok {
			return stored, nil
		}
	}
	return who, persona.SaveCharacter(ctx, s, characterID, who)
}
