package config

import (
	"flag"
	"io"
	"strings"
	"testing"

	"github.com/hearth-bot/hearth/examples/internal/lang"
	"github.com/hearth-bot/hearth/examples/internal/program"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// parsePurposes is parse for a program with models by purpose.
func parsePurposes(args ...string) (*File, error) {
	f := flag.NewFlagSet("bot", flag.ContinueOnError)
	f.String("model-name", "", "`name`")
	return Parse(f, Options{Help: program.Help{About: lang.T("bot\n", "bot\n")}, Purposes: []string{"judge", "reply", "see", "speak", "default"}}, args, io.Discard)
}

func TestModels_Read(t *testing.T) {
	path := write(t, "bot.yaml", `
model-name: main
models:
  judge: cheap
  reply: [good, {model-name: second, base-url: "http://b/v1", key-file: b.txt}]
  see:
    model: ollama
    model-name: eyes
    text-calls: yes
  speak: [mouth, {model-name: second, voice: low, audio-format: wav}]
  default:
`)
	file, err := parsePurposes("-config", path)
	require.NoError(t, err)
	assert.Equal(t, map[string][]Model{
		"judge": {{Where: path + ":4: models: judge", Name: "cheap"}},
		"reply": {{Where: path + ":5: models: reply", Name: "good"}, {Where: path + ":5: models: reply", Name: "second", BaseURL: "http://b/v1", KeyFile: "b.txt"}},
		"see":   {{Where: path + ":7: models: see", Kind: "ollama", Name: "eyes", TextCalls: true}},
		"speak": {{Where: path + ":10: models: speak", Name: "mouth"}, {Where: path + ":10: models: speak", Name: "second", Voice: "low", AudioFormat: "wav"}},
	}, file.Models)

	moved, err := parsePurposes("-config", write(t, "bot.yaml", "# moved\n\n\nmodels:\n  judge: cheap\n"))
	require.NoError(t, err)
	same, err := parsePurposes("-config", write(t, "bot.yaml", "models: {judge: cheap}\n"))
	require.NoError(t, err)
	assert.Empty(t, moved.differing(same), "another line is no change")
	other, err := parsePurposes("-config", write(t, "bot.yaml", "models: {judge: dear}\n"))
	require.NoError(t, err)
	assert.Equal(t, []string{"models"}, moved.differing(other), "it needs a restart")
}

func TestModels_Mistakes(t *testing.T) {
	path := write(t, "bot.yaml", `
models:
  juge: cheap
  reply:
    model-nam: good
    base-url: [a, b]
    text-calls: perhaps
  see: [[a]]
modles: {}
`)
	_, err := parsePurposes("-config", path)
	for line, says := range map[string]lang.Text{
		":3": lang.T(`models：没有 "juge" 这种用途：是不是 "judge"？（有 judge, reply, see, speak, default）`, `models: unknown purpose "juge": did you mean "judge"? (one of judge, reply, see, speak, default)`),
		":5": lang.T(`models：reply：没有 "model-nam" 这一项：是不是 "model-name"？（有 model, model-name, base-url, key-file, text-calls, voice, audio-format）`, `models: reply: unknown key "model-nam": did you mean "model-name"? (one of model, model-name, base-url, key-file, text-calls, voice, audio-format)`),
		":6": lang.T("models：reply：base-url 应该是单个值", "models: reply: base-url must have a single value"),
		":7": lang.T(`models：reply：text-calls："perhaps" 不是`, `models: reply: text-calls: "perhaps" is no `),
		":8": lang.T("models：see 应该是模型的名字、它的几项，或者一列这样的东西", "models: see must be the name of a model, its keys, or a list of these"),
		":9": lang.T(`没有 "modles" 这一项：是不是 "models"？`, `unknown key "modles": did you mean "models"?`),
	} {
		assert.Contains(t, lang.Chinese.Error(err), path+line+": "+lang.Chinese.Text(says))
		assert.Contains(t, lang.English.Error(err), path+line+": "+lang.English.Text(says))
	}
	_, _, err = parse(t, "-config", path)
	assert.ErrorContains(t, err, `unknown key "models"`, "a program without models by purpose has no such section")
}

// What -init writes is commented out, and is right when the comments are removed.
func TestModels_Init(t *testing.T) {
	path := t.TempDir() + "/bot.yaml"
	_, err := parsePurposes("-init", path)
	require.ErrorIs(t, err, program.ErrDone)
	text, err := readFile(path)
	require.NoError(t, err)
	for _, says := range []string{"按用途选模型 · Models by purpose", "要不要看一个聊天", "whether to read a chat", "密钥不会发给别的服务", "a key is sent to no other service"} {
		assert.Contains(t, string(text), says)
	}
	assert.NotContains(t, string(text), "background:", "only purposes of the program")
	file, err := parsePurposes("-config", path)
	require.NoError(t, err)
	assert.Empty(t, file.Models)

	_, section, _ := strings.Cut(string(text), "#models:\n")
	section, _, _ = strings.Cut(section, "\n\n")
	var lines []string
	for _, l := range strings.Split(strings.TrimSpace(section), "\n") {
		lines = append(lines, strings.TrimPrefix(l, "#"))
	}
	file, err = parsePurposes("-config", write(t, "bot.yaml", "models:\n"+strings.Join(lines, "\n")+"\n"))
	require.NoError(t, err)
	assert.Len(t, file.Models, 5)
	assert.Len(t, file.Models["default"], 2)
}
