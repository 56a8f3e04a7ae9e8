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

// Where a character's texts lie.
const (
	profileFile = "persona.json"
	aboutFile   = "about.md"
	promptDir   = "prompts"
	documentDir = "documents"
	ending      = ".md"
)

// texts are the fields of p by the names of their files.
func (p *Prompts) texts() []named {
	return []named{
		{"system", &p.System}, {"rules", &p.Rules}, {"focus", &p.Focus}, {"think", &p.Think}, {"plan", &p.Plan}, {"write", &p.Write},
		{"consider", &p.Consider}, {"aside", &p.BackgroundCall}, {"sum_up", &p.Summarize}, {"dream", &p.Dream}, {"regard", &p.UpdatePeople},
		{"judging", &p.JudgeSystem}, {"judge", &p.JudgeRequest}, {"greet", &p.Greet}, {"remind", &p.Remind}, {"perform", &p.PerformTask},
		{"background", &p.BackgroundTurn}, {"missed", &p.MissedTask}, {"review", &p.ReviewConversation}, {"plan_ahead", &p.PlanAhead},
		{"reflect", &p.Reflect}, {"look", &p.TaskOutcome}, {"heard", &p.Hearsay}, {"muse", &p.GlobalReflection},
	}
}

type named struct {
	name string
	text *string
}

// Text returns the text with this name, which is the name of its file without ".md": "rules", "sum_up". It is "" for a text that
// is not set, and for any other name.
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
	_ = e.Encode(struct { // of strings alone: it cannot fail
		Name    string   `json:"name"`
		Aliases []string `json:"aliases,omitempty"`
	}{p.Name, p.Aliases})
	return b.String()
}

// characterOf makes a character of its files, and refuses every path that it does not know.
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
		name, isText := strings.CutSuffix(name, ending)
		switch {
		case path == profileFile:
			if err := c.Profile.read(text); err != nil {
				return wrong(path, err.Error())
			}
		case path == aboutFile:
			c.Profile.About = unframed(text)
		case inDir && dir == promptDir && isText:
			i := slices.IndexFunc(prompts, func(p named) bool { return p.name == name })
			if i < 0 {
				return wrong(path, "there is no such prompt")
			}
			*prompts[i].text = unframed(text)
		case inDir && dir == documentDir && isText:
			if c.Documents == nil {
				c.Documents = make(map[string]string)
			}
			c.Documents[name] = unframed(text)
		default:
			return wrong(path, fmt.Sprintf("there is no such file in a character: %s, %s, %s/*%s and %s/*%s", profileFile, aboutFile, promptDir, ending, documentDir, ending))
		}
	}
	if _, ok := files[profileFile]; !ok {
		return wrong(profileFile, "it is missing")
	}
	return nil
}

// unframed is a text without what editors add: a mark of its encoding, carriage returns, and the last line's end.
func unframed(text string) string {
	text = strings.ReplaceAll(strings.TrimPrefix(text, "\ufeff"), "\r\n", "\n")
	return strings.TrimSuffix(text, "\n")
}

// read takes a field by its exact name, and each once: what encoding/json would pass over is a slip of the hand.
func (p *Profile) read(text string) error {
	if err := plainText(unframed(text)); err != nil {
		return err
	}
	d := json.NewDecoder(strings.NewReader(unframed(text)))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return errors.New("it is no JSON object")
	}
	seen := make(map[string]bool)
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return err
		}
		key, _ := t.(string)
		if seen[key] {
			return fmt.Errorf("%q stands twice", key)
		}
		seen[key] = true
		switch key {
		case "name":
			err = d.Decode(&p.Name)
		case "aliases":
			err = d.Decode(&p.Aliases)
		default:
			return fmt.Errorf("unknown field %q: there are name and aliases", key)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
	}
	if _, err := d.Token(); err != nil {
		return err
	}
	if d.More() {
		return errors.New("something stands behind the object")
	}
	if len(p.Aliases) == 0 {
		p.Aliases = nil
	}
	return nil
}

// characterVersion is that of the JSON; what is newer is refused.
const characterVersion = 1

type characterJSON struct {
	Version int               `json:"hearth_character"`
	Files   map[string]string `json:"files"`
}

// MarshalJSON gives the files of the directory in one object.
func (c Character) MarshalJSON() ([]byte, error) {
	files, err := c.files()
	if err != nil {
		return nil, err
	}
	return json.Marshal(characterJSON{characterVersion, files})
}

// UnmarshalJSON refuses what MarshalJSON would not have made, with an error that matches [ErrInvalidCharacter].
func (c *Character) UnmarshalJSON(data []byte) error {
	if len(data) > 8*maxCharacter {
		return wrong("JSON", fmt.Sprintf("%d bytes are too many", len(data)))
	}
	if err := plainText(string(data)); err != nil {
		return wrong("JSON", err.Error())
	}
	var j characterJSON
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&j); err != nil {
		return wrong("JSON", err.Error())
	}
	if j.Version < 1 || j.Version > characterVersion {
		return wrong("JSON", fmt.Sprintf("version %d, known up to %d", j.Version, characterVersion))
	}
	read, err := characterOf(j.Files)
	if err != nil {
		return err
	}
	*c = read
	return nil
}
