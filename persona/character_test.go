package persona_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/internal/statetest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// randomText returns text with ordinary and unusual characters.
func randomText(r *rand.Rand) string {
	alphabet := []string{"炉", "a", " ", "\n", "\t", "\"", "\\", "<", "{name}", "#", "\u2028", "𠮷", "👩‍💻", "\ufffd", "é", "e\u0301", "'", "&", "\n\n", "- "}
	var b strings.Builder
	for range r.IntN(30) {
		b.WriteString(alphabet[r.IntN(len(alphabet))])
	}
	return b.String()
}

func randomCharacter(r *rand.Rand) (c persona.Character) {
	name := func() string { return fmt.Sprint(r.IntN(1000), " 号<&>\u2028𠮷\"") }
	c.Profile = persona.Profile{Name: name(), About: randomText(r)}
	for range r.IntN(4) {
		c.Profile.Aliases = append(c.Profile.Aliases, name())
	}
	for range r.IntN(4) {
		c.Profile.Interests = append(c.Profile.Interests, name())
	}
	prompts := reflect.ValueOf(&c.Prompts).Elem()
	for i := range prompts.NumField() {
		if r.IntN(3) == 0 {
			prompts.Field(i).SetString(randomText(r))
		}
	}
	for i := range r.IntN(4) {
		if c.Documents == nil {
			c.Documents = map[string]string{}
		}
		c.Documents[fmt.Sprint("doc_", i)] = randomText(r)
	}
	return c
}

// A directory, a row and JSON hold the same data, byte for byte.
func TestCharacter_RoundTrips(t *testing.T) {
	r, dir, db := rand.New(rand.NewPCG(7, 9)), t.TempDir(), statetest.New(nil)
	for i := range 60 {
		c := randomCharacter(r)
		at := filepath.Join(dir, fmt.Sprint(i))
		require.NoError(t, c.WriteDir(at))
		read, err := persona.ReadCharacter(os.DirFS(at))
		require.NoError(t, err)
		require.Equal(t, c, read)

		require.NoError(t, persona.SaveCharacter(t.Context(), db, "one", read))
		loaded, ok, err := persona.LoadCharacter(t.Context(), db, "one")
		require.NoError(t, err)
		require.True(t, ok)
		require.Equal(t, c, loaded)

		text, err := json.MarshalIndent(map[string]any{"in": c}, "", "\t")
		require.NoError(t, err)
		var back map[string]persona.Character
		require.NoError(t, json.Unmarshal(text, &back))
		require.Equal(t, c, back["in"])
	}
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, entries, 60, "no temporary directory is left")
}

// The test fails if somebody adds a field to Prompts or Profile and forgets to store it.
func TestCharacter_StoresEveryField(t *testing.T) {
	var c persona.Character
	for _, v := range []reflect.Value{reflect.ValueOf(&c.Prompts).Elem(), reflect.ValueOf(&c.Profile).Elem()} {
		for i := range v.NumField() {
			switch f := v.Field(i); f.Interface().(type) {
			case string:
				f.SetString("a text of " + v.Type().Field(i).Name)
			case []string:
				f.Set(reflect.ValueOf([]string{"a name"}))
			default:
				t.Fatalf("say how %s is written", v.Type().Field(i).Name)
			}
		}
	}
	dir := filepath.Join(t.TempDir(), "bot")
	require.NoError(t, c.WriteDir(dir))
	files, err := filepath.Glob(filepath.Join(dir, "prompts", "*.md"))
	require.NoError(t, err)
	assert.Len(t, files, reflect.TypeFor[persona.Prompts]().NumField())
	read, err := persona.ReadCharacter(os.DirFS(dir))
	require.NoError(t, err)
	assert.Equal(t, c, read)
}

// byHand is a directory as people and editors leave it.
func byHand() fstest.MapFS {
	return fstest.MapFS{
		"persona.json":                 {Data: []byte("\ufeff{\r\n  \"name\": \"小炉\",\r\n  \"aliases\": [\"炉子\", \"\\u706b\"],\r\n  \"interests\": [\"猫\", \"手冲咖啡\"]\r\n}\r\n")},
		"about.md":                     {Data: []byte("\ufeff爱看番的大学生，\r\n说话随和。\r\n")},
		"prompts/rules.md":             {Data: []byte("少说话")},
		"prompts/plan.md":              {Data: []byte("\n")},
		"documents/character_state.md": {Data: []byte("# 我\n\n## 对主人的了解\n")},
		".git/HEAD":                    {Data: []byte("ref: refs/heads/main")},
		"prompts/.rules.md.swp":        {Data: []byte{0xff}},
	}
}

func TestReadCharacter_HandWrittenDirectory(t *testing.T) {
	c, err := persona.ReadCharacter(byHand())
	require.NoError(t, err)
	assert.Equal(t, persona.Character{
		Profile:   persona.Profile{Name: "小炉", Aliases: []string{"炉子", "火"}, Interests: []string{"猫", "手冲咖啡"}, About: "爱看番的大学生，\n说话随和。"},
		Prompts:   persona.Prompts{Rules: "少说话"},
		Documents: map[string]string{"character_state": "# 我\n\n## 对主人的了解"},
	}, c)
	c, err = persona.ReadCharacter(fstest.MapFS{"persona.json": {Data: []byte(`{"name":"a"}`)}})
	require.NoError(t, err)
	assert.Equal(t, persona.Character{Profile: persona.Profile{Name: "a"}}, c)
}

// A file or field that would be ignored or misread is an error that names the file.
func TestReadCharacter_InvalidDirectory(t *testing.T) {
	long := strings.Repeat("长", 1<<20/3+1)
	for name, change := range map[string]struct{ path, text, says string }{
		"unknown prompt":             {"prompts/rule.md", "少说话", "prompts/rule.md: unknown prompt"},
		"unknown file":               {"notes.txt", "", "notes.txt: unknown file"},
		"prompt in the wrong folder": {"rules.md", "", "rules.md: unknown file"},
		"a folder":                   {"stickers/a.png", "", "stickers: not a regular file"},
		"a folder in a folder":       {"documents/old/a.md", "", "documents/old: not a regular file"},
		"another ending":             {"documents/a.MD", "", "documents/a.MD: unknown file"},
		"a document's name":          {"documents/我.md", "", "documents/我.md: invalid name \"我\""},
		"capitals":                   {"documents/A.md", "", "documents/A.md"},
		"reserved name on Windows":   {"documents/aux.md", "", "documents/aux.md"},
		"a long name":                {"documents/" + strings.Repeat("a", 65) + ".md", "", "invalid name"},
		"invalid UTF-8":              {"about.md", "a\xffb", "about.md: byte 1 is not UTF-8"},
		"a zero byte":                {"documents/a.md", "a\x00b", "documents/a.md: byte 1 is the control character U+0000"},
		"an escape":                  {"prompts/system.md", "\x1b[31m", "prompts/system.md: byte 0"},
		"a lone carriage return":     {"prompts/system.md", "a\rb", "prompts/system.md: byte 1"},
		"too long":                   {"about.md", long, "about.md: the character has more than 1048576 bytes"},
		"no JSON":                    {"persona.json", "name: 小炉", "persona.json: not a JSON object"},
		"no object":                  {"persona.json", `["小炉"]`, "persona.json: not a JSON object"},
		"cut off":                    {"persona.json", `{"name":"小炉"`, "persona.json: "},
		"two objects":                {"persona.json", `{"name":"小炉"}{}`, "persona.json: unexpected data"},
		"unknown field":              {"persona.json", `{"name":"小炉","age":18}`, `persona.json: unknown field "age"`},
		"a field in capitals":        {"persona.json", `{"Name":"小炉"}`, `persona.json: unknown field "Name"`},
		"a field twice":              {"persona.json", `{"name":"小炉","name":"小火"}`, `persona.json: duplicate field "name"`},
		"a value of another kind":    {"persona.json", `{"name":"小炉","aliases":"炉子"}`, "persona.json: aliases"},
		"no name":                    {"persona.json", `{}`, "persona.json: the name is missing"},
		"blank name":                 {"persona.json", `{"name":" "}`, "persona.json: name"},
		"a name of two lines":        {"persona.json", `{"name":"a\nb"}`, "persona.json: name"},
		"a name with an escape":      {"persona.json", `{"name":"a\u001bb"}`, "persona.json: name"},
		"an empty alias":             {"persona.json", `{"name":"a","aliases":[""]}`, "persona.json: name"},
		"name too long":              {"persona.json", `{"name":"` + strings.Repeat("长", 65) + `"}`, "more than 64 runes"},
		"an empty interest":          {"persona.json", `{"name":"a","interests":[""]}`, "persona.json: interest"},
		"an interest of two lines":   {"persona.json", `{"name":"a","interests":["a\nb"]}`, "persona.json: interest"},
		"many interests":             {"persona.json", `{"name":"a","interests":["b"` + strings.Repeat(`,"b"`, 64) + `]}`, "65 interests, at most 64"},
		"many aliases":               {"persona.json", `{"name":"a","aliases":["b"` + strings.Repeat(`,"b"`, 64) + `]}`, "65 aliases, at most 64"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := byHand()
			dir[change.path] = &fstest.MapFile{Data: []byte(change.text)}
			c, err := persona.ReadCharacter(dir)
			require.ErrorIs(t, err, persona.ErrInvalidCharacter)
			assert.ErrorContains(t, err, change.says)
			assert.Zero(t, c)
		})
	}
	dir := byHand()
	delete(dir, "persona.json")
	_, err := persona.ReadCharacter(dir)
	assert.ErrorIs(t, err, persona.ErrInvalidCharacter)
	assert.ErrorContains(t, err, "persona.json: the file is missing")

	dir = byHand()
	for i := range 64 {
		dir[fmt.Sprintf("documents/%d.md", i)] = &fstest.MapFile{}
	}
	_, err = persona.ReadCharacter(dir)
	assert.ErrorContains(t, err, "65 documents, at most 64")

	_, err = persona.ReadCharacter(os.DirFS(filepath.Join(t.TempDir(), "none")))
	assert.ErrorIs(t, err, fs.ErrNotExist)
}

func TestCharacter_InvalidJSON(t *testing.T) {
	for _, text := range []string{
		`null`, `{}`, `[]`, `{"hearth_character":2,"files":{"persona.json":"{\"name\":\"a\"}"}}`, `{"hearth_character":1}`,
		`{"hearth_character":1,"files":{}}`, `{"hearth_character":1,"files":{"persona.json":"{}"}}`, `{"hearth_character":1,"more":1,"files":{"persona.json":"{\"name\":\"a\"}"}}`,
		`{"hearth_character":1,"files":{"persona.json":"{\"name\":\"a\"}","../about.md":"x"}}`, `{"hearth_character":1,"files":{"persona.json":"{\"name\":\"a\"}","documents/../about.md":"x"}}`,
		"{\"hearth_character\":1,\"files\":{\"persona.json\":\"{\\\"name\\\":\\\"a\\\"}\",\"about.md\":\"\xff\"}}",
	} {
		db := statetest.New(map[string][]byte{"character/a": []byte(text)})
		c, ok, err := persona.LoadCharacter(t.Context(), db, "a")
		assert.ErrorIs(t, err, persona.ErrInvalidCharacter, text)
		assert.False(t, ok)
		assert.Zero(t, c)
	}
}

// One State holds many characters, and each is one row.
func TestSaveCharacter_OneRowPerID(t *testing.T) {
	db := statetest.New(nil)
	for _, id := range []string{"b", "ab", "a"} {
		require.NoError(t, persona.SaveCharacter(t.Context(), db, id, persona.Character{Profile: persona.Profile{Name: "name-" + id}}))
	}
	assert.Len(t, db.Rows, 3)
	for _, bad := range []string{"", "a/b", "A", "..", "con"} {
		assert.Error(t, persona.SaveCharacter(t.Context(), db, bad, persona.Character{Profile: persona.Profile{Name: "x"}}), bad)
		_, _, err := persona.LoadCharacter(t.Context(), db, bad)
		assert.Error(t, err, bad)
	}
	require.NoError(t, persona.SaveCharacter(t.Context(), db, "a", persona.Character{Profile: persona.Profile{Name: "anew"}}))
	require.ErrorIs(t, persona.SaveCharacter(t.Context(), db, "a", persona.Character{}), persona.ErrInvalidCharacter)
	c, ok, err := persona.LoadCharacter(t.Context(), db, "a")
	require.NoError(t, err)
	assert.True(t, ok)
	assert.Equal(t, "anew", c.Profile.Name)
	_, ok, err = persona.LoadCharacter(t.Context(), db, "abc")
	require.NoError(t, err)
	assert.False(t, ok)

	db.After = func(int) (bool, error) { return false, errors.New("the disk is full") }
	assert.ErrorContains(t, persona.SaveCharacter(t.Context(), db, "ab", persona.Character{Profile: persona.Profile{Name: "x"}}), "the disk is full")
}

// WriteDir overwrites no edited directory, no file and no target of a symbolic link.
func TestCharacter_WriteDirNeverOverwrites(t *testing.T) {
	dir, c := t.TempDir(), persona.Character{Profile: persona.Profile{Name: "小炉", About: "旧"}}
	at := func(name string) string { return filepath.Join(dir, name) }
	require.NoError(t, os.Mkdir(at("empty"), 0o755))
	require.NoError(t, c.WriteDir(at("empty")))
	require.NoError(t, os.WriteFile(at("file"), []byte("x"), 0o600))
	require.NoError(t, os.Mkdir(at("full"), 0o755))
	require.NoError(t, os.WriteFile(at("full/.hidden"), nil, 0o600))
	require.NoError(t, os.Mkdir(at("elsewhere"), 0o755))
	taken := []string{"empty", "file", "full"}
	if os.Symlink(at("elsewhere"), at("link")) == nil {
		taken = append(taken, "link")
	}
	c.Profile.About = "新"
	for _, name := range taken {
		assert.ErrorIs(t, c.WriteDir(at(name)), fs.ErrExist, name)
	}
	read, err := persona.ReadCharacter(os.DirFS(at("empty")))
	require.NoError(t, err)
	assert.Equal(t, "旧", read.Profile.About)

	require.ErrorIs(t, persona.Character{}.WriteDir(at("nobody")), persona.ErrInvalidCharacter)
	assert.ErrorIs(t, c.WriteDir(at("none/below")), fs.ErrNotExist)
	left, err := filepath.Glob(at(".*"))
	require.NoError(t, err)
	assert.Empty(t, left, "no temporary directory is left")
	assert.NoDirExists(t, at("nobody"))
	if runtime.GOOS != "windows" {
		info, err := os.Stat(at("empty/about.md"))
		require.NoError(t, err)
		assert.Equal(t, fs.FileMode(0o600), info.Mode(), "it may contain facts about the owner")
	}
}

// With many concurrent writers exactly one wins, and its directory is complete.
func TestCharacter_WriteDirConcurrently(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "bot")
	const writers = 8
	errs := make(chan error, writers)
	for i := range writers {
		go func() {
			about := fmt.Sprint("我是 ", i)
			errs <- persona.Character{Profile: persona.Profile{Name: fmt.Sprint(i), About: about}, Documents: map[string]string{"d": about}}.WriteDir(dir)
		}()
	}
	won := 0
	for range writers {
		if err := <-errs; err == nil {
			won++
		} else {
			assert.ErrorIs(t, err, fs.ErrExist)
		}
	}
	assert.Equal(t, 1, won)
	c, err := persona.ReadCharacter(os.DirFS(dir))
	require.NoError(t, err)
	assert.Equal(t, "我是 "+c.Profile.Name, c.Profile.About)
	assert.Equal(t, c.Profile.About, c.Documents["d"])
}

// Any directory is either rejected, or is a character that survives a round trip through JSON.
func FuzzReadCharacter(f *testing.F) {
	hand := byHand()
	for _, path := range slices.Sorted(maps.Keys(hand)) {
		f.Add(string(hand["persona.json"].Data), path, string(hand[path].Data))
	}
	f.Add(`{"name":"a","aliases":null}`, "documents/a.md", "\r\n\r\r\n")
	f.Fuzz(func(t *testing.T, profile, path, text string) {
		dir := fstest.MapFS{"persona.json": {Data: []byte(profile)}}
		if !fs.ValidPath(path) || path == "." || strings.HasPrefix(path, "persona.json/") {
			return
		}
		dir[path] = &fstest.MapFile{Data: []byte(text)}
		c, err := persona.ReadCharacter(dir)
		if err != nil {
			require.ErrorIs(t, err, persona.ErrInvalidCharacter)
			return
		}
		row, err := json.Marshal(c)
		require.NoError(t, err)
		var back persona.Character
		require.NoError(t, json.Unmarshal(row, &back))
		require.Equal(t, c, back)
	})
}

// Any JSON is either rejected, or is a character that survives a round trip.
func FuzzCharacterJSON(f *testing.F) {
	c, err := persona.ReadCharacter(byHand())
	require.NoError(f, err)
	row, err := json.Marshal(c)
	require.NoError(f, err)
	f.Add(string(row))
	f.Fuzz(func(t *testing.T, text string) {
		var c persona.Character
		if err := c.UnmarshalJSON([]byte(text)); err != nil {
			require.ErrorIs(t, err, persona.ErrInvalidCharacter)
			require.Zero(t, c)
			return
		}
		row, err := json.Marshal(c)
		require.NoError(t, err)
		var back persona.Character
		require.NoError(t, json.Unmarshal(row, &back))
		require.Equal(t, c, back)
	})
}
