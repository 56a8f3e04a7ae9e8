package persona

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// File names in the directory of a character.
const (
	profileFile = "persona.json"
	aboutFile   = "about.md"
	promptDir   = "prompts"
	documentDir = "documents"
	textExt     = ".md"
)

// texts returns the fields of p with their file names.
func (p *Prompts) texts() []promptText {
	return []promptText{
		{"system", &p.System}, {"rules", &p.Rules}, {"focus", &p.Focus}, {"think", &p.Think}, {"plan", &p.Plan}, {"write", &p.Write},
		{"consider", &p.Consider}, {"consider_focus", &p.ConsiderFocus}, {"aside", &p.BackgroundCall}, {"sum_up", &p.Summarize}, {"dream", &p.Dream}, {"regard", &p.UpdatePeople}, {"explain_words", &p.ExplainWords},
		{"judging", &p.JudgeSystem}, {"judge", &p.JudgeRequest}, {"greet", &p.Greet}, {"remind", &p.Remind}, {"perform", &p.PerformTask},
		{"background", &p.BackgroundTurn}, {"missed", &p.MissedTask}, {"review", &p.ReviewConversation}, {"plan_ahead", &p.PlanAhead},
		{"reflect", &p.Reflect}, {"look", &p.TaskOutcome}, {"heard", &p.Hearsay}, {"muse", &p.GlobalReflection},
	}
}

type promptText struct {
	name string
	text *string
}

// Text returns the prompt text with this name. The name is the file name without ".md", such as "rules" or "sum_up".
// Text returns "" for an unknown name or an empty text.
func (p *Prompts) Text(name string) string {
	for _, one := range p.texts() {
		if one.name == name {
			return *one.text
		}
	}
	return ""
}

func (p Profile) file() string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	_ = e.Encode(struct { // cannot fail: it holds only strings
		Name      string   `json:"name"`
		Aliases   []string `json:"aliases,omitempty"`
		Interests []string `json:"interests,omitempty"`
	}{p.Name, p.Aliases, p.Interests})
	return b.String()
}

// characterOf builds a character from its files. It rejects unknown paths.
func characterOf(files map[string]string) (Character, error) {
	var c Character
	if err := c.fill(files); err != nil {
		return Character{}, err
	}
	if err := c.Validate(); err != nil {
		return Character{}, err
	}
	return c, nil
}

func (c *Character) fill(files map[string]string) error {
	prompts := c.Prompts.texts()
	for _, path := range slices.Sorted(maps.Keys(files)) {
		text := files[path]
		dir, name, inDir := strings.Cut(path, "/")
		name, isText := strings.CutSuffix(name, textExt)
		switch {
		case path == profileFile:
			if err := c.Profile.parse(text); err != nil {
				return invalidFile(path, err.Error())
			}
		case path == aboutFile:
			c.Profile.About = trimText(text)
		case inDir && dir == promptDir && isText:
			i := slices.IndexFunc(prompts, func(p promptText) bool { return p.name == name })
			if i < 0 {
				return invalidFile(path, "unknown prompt")
			}
			*prompts[i].text = trimText(text)
		case inDir && dir == documentDir && isText:
			if c.Documents == nil {
				c.Documents = make(map[string]string)
			}
			c.Documents[name] = trimText(text)
		default:
			return invalidFile(path, fmt.Sprintf("unknown file: want %s, %s, %s/*%s or %s/*%s", profileFile, aboutFile, promptDir, textExt, documentDir, textExt))
		}
	}
	if _, ok := files[profileFile]; !ok {
		return invalidFile(profileFile, "the file is missing")
	}
	return nil
}

// trimText removes additions of text editors: a byte order mark, carriage returns and the final line break.
func trimText(text string) string {
	text = strings.ReplaceAll(strings.TrimPrefix(text, "\ufeff"), "\r\n", "\n")
	return strings.TrimSuffix(text, "\n")
}

// parse is stricter than encoding/json. It rejects duplicate fields, unknown fields and names in another case. In a file
// written by hand these are likely mistakes.
func (p *Profile) parse(text string) error {
	if err := checkText(trimText(text)); err != nil {
		return err
	}
	d := json.NewDecoder(strings.NewReader(trimText(text)))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return errors.New("not a JSON object")
	}
	seen := make(map[string]bool)
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return err
		}
		key, _ := t.(string)
		if seen[key] {
			return fmt.Errorf("duplicate field %q", key)
		}
		seen[key] = true
		switch key {
		case "name":
			err = d.Decode(&p.Name)
		case "aliases":
			err = d.Decode(&p.Aliases)
		case "interests":
			err = d.Decode(&p.Interests)
		default:
			return fmt.Errorf("unknown field %q: want name, aliases or interests", key)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
	}
	if _, err := d.Token(); err != nil {
		return err
	}
	if d.More() {
		return errors.New("unexpected data after the object")
	}
	if len(p.Aliases) == 0 {
		p.Aliases = nil
	}
	if len(p.Interests) == 0 {
		p.Interests = nil
	}
	return nil
}

// characterVersion is the schema version of the JSON form. Newer versions are rejected.
const characterVersion = 1

type characterJSON struct {
	Version int               `json:"hearth_character"`
	Files   map[string]string `json:"files"`
}

// MarshalJSON encodes the files of the directory as one object.
func (c Character) MarshalJSON() ([]byte, error) {
	files, err := c.files()
	if err != nil {
		return nil, err
	}
	return json.Marshal(characterJSON{characterVersion, files})
}

// UnmarshalJSON rejects JSON that MarshalJSON would not produce. The error matches [ErrInvalidCharacter].
func (c *Character) UnmarshalJSON(data []byte) error {
	if len(data) > 8*maxCharacter {
		return invalidFile("JSON", fmt.Sprintf("%d bytes, at most %d", len(data), 8*maxCharacter))
	}
	if err := checkText(string(data)); err != nil {
		return invalidFile("JSON", err.Error())
	}
	var j characterJSON
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&j); err != nil {
		return invalidFile("JSON", err.Error())
	}
	if j.Version < 1 || j.Version > characterVersion {
		return invalidFile("JSON", fmt.Sprintf("version %d is not supported: want 1 to %d", j.Version, characterVersion))
	}
	read, err := characterOf(j.Files)
	if err != nil {
		return err
	}
	*c = read
	return nil
}
