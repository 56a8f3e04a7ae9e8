package qq

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hearth-bot/hearth/internal/fetch"
	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/persona"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestIsPlainPath(t *testing.T) {
	for _, good := range []string{"a.png", "猫/1.png", "a/b/c.jpg", "..c.png", "a b.png", "console.png", "com10.png", "nullable/x"} {
		assert.True(t, isPlainPath(good), good)
	}
	for _, bad := range []string{"", ".", "..", "a/..", "../a", "/a", "a//b", "a/", "a\x00", "a\x7f", "a\u0085", `a\b`, "c:a", "NUL", "nul.png", "x/Aux/y", "CONIN$", "com1 .png", "a.", "a ", "a|b", "\xff"} {
		assert.False(t, isPlainPath(bad), "%q", bad)
	}
}

func TestNormalizeName(t *testing.T) {
	for _, same := range [][]string{
		{"小明", "小明\u200b", " 小明　", "\u202e小明", "小\ufe0f明"},
		{"bob d", "BOB D", "Ｂｏｂ　Ｄ", "bob\u00a0 d", "bob\t\nd"},
		{"k", "K", "\u212a"}, {"ς", "Σ", "σ"}, {"！", "!"}, {"", "\u200b", " ", "\ufeff"},
	} {
		for _, s := range same[1:] {
			assert.Equal(t, normalizeName(same[0]), normalizeName(s), "%q", s)
		}
	}
	for _, pair := range [][2]string{{"小明", "小月"}, {"bob", "bоb"}, {"a b", "ab"}, {"l", "I"}} { // the second bоb is Cyrillic
		assert.NotEqual(t, normalizeName(pair[0]), normalizeName(pair[1]))
	}
}

// FuzzName checks that folding is idempotent, that a name matches itself, and that an accepted path stays below its root
// on any system.
func FuzzName(f *testing.F) {
	f.Add("小明", "小明\u200b", "x")
	f.Add("Ｂｏｂ", "bob", "BOB ")
	f.Add("\xff", "ſ", "S")
	f.Add("猫/1.png", `..\x`, "nul.txt")
	f.Fuzz(func(t *testing.T, a, b, c string) {
		if isPlainPath(a) {
			require.True(t, fs.ValidPath(a) && filepath.IsLocal(a) && !strings.ContainsAny(a, "\\:\x00"))
			require.Equal(t, a, filepath.ToSlash(filepath.Clean(a)))
		}
		require.Equal(t, normalizeName(a), normalizeName(normalizeName(a)))
		all := []candidateChat{{userChat("3"), []string{a}}, {groupChat("3"), []string{b}}, {userChat("2"), []string{c, a}}, {userChat("3"), []string{c}}}
		exact, near := findByName(a, all)
		if normalizeName(a) == "" {
			require.Empty(t, exact)
			require.Empty(t, near)
			return
		}
		if exact == nil || exact[len(exact)-1].chat != userChat("3") {
			t.Fatal("it is not found by its own name")
		}
		require.GreaterOrEqual(t, len(exact), 2, "two bear it")
		_, err := unique(a, all)
		require.Error(t, err)
		require.Equal(t, normalizeName(a) == normalizeName(b), exact[0].chat == groupChat("3"))
		for _, n := range append(exact, near...) {
			require.NotZero(t, n.chat)
		}
	})
}

// A picture that was downloaded for the owner is sent as bytes. Nothing is downloaded for others.
func TestSendImage_FetchedPictures(t *testing.T) {
	root, err := os.OpenRoot(t.TempDir())
	require.NoError(t, err)
	defer root.Close()
	var said []persona.Outgoing
	var asked []string
	actor := Actor{
		Send: func(_ context.Context, _ persona.Chat, out persona.Outgoing) (string, error) {
			said = append(said, out)
			return "1", nil
		},
		EncodeImage: func(picture []byte) (string, error) { return "bytes:" + string(picture), nil },
	}
	k := &toolkit{actor: actor, o: Options{Images: root}, fetch: func(_ context.Context, url string) (fetch.File, error) {
		asked = append(asked, url)
		return fetch.File{Data: []byte("GIF89a"), Type: "image/gif"}, nil
	}}
	require.NoError(t, k.prepare())
	tool, err := k.sendImage()
	require.NoError(t, err)
	var r nit.Registry
	require.NoError(t, r.Add(tool))
	agent := r.View(nit.Principal{Mode: nit.ModeAgent, Tiers: nit.L1, Session: "group_1"})
	assert.Contains(t, agent.Tools()[0].Function.Description, "网址")
	_, err = agent.Do(t.Context(), "qq_send_image", `{"image_path":"HTTPS://example.com/a.gif"}`)
	require.NoError(t, err)
	assert.Equal(t, []persona.Outgoing{{Image: "bytes:GIF89a"}}, said)
	_, err = r.View(nit.Principal{Tiers: nit.L1, Session: "group_1"}).Do(t.Context(), "qq_send_image", `{"image_path":"https://example.com/a.gif"}`)
	assert.Equal(t, nit.ErrUnknownTool, err)
	assert.Equal(t, []string{"HTTPS://example.com/a.gif"}, asked)
}
