package nit_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/hearth-bot/hearth/nit"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const firstForm = `{"manifestVersion":"1.0","name":"social_adapter","displayName":"社交","version":"1.0.0","description":"QQ 社交",
	"author":"somebody","pluginType":"python-module","entryPoint":"social_adapter","platforms":["desktop"],
	"capabilities":{"invocationCommands":[
		{"commandIdentifier":"qq_send_group_msg","description":"发群消息","parameters":{"type":"object","properties":{"group_id":{"type":"string"},"message":{"type":"string"}},"required":["group_id","message"]}},
		{"commandIdentifier":"qq_get_friend_list","description":"好友列表"}]}}`

func TestParseManifest(t *testing.T) {
	m, err := nit.ParseManifest([]byte(firstForm))
	require.NoError(t, err)
	assert.Equal(t, "social_adapter 社交 1.0.0 QQ 社交 somebody python-module social_adapter", strings.Join([]string{
		m.Name, m.DisplayName, m.Version, m.Description, m.Author, m.Type, m.EntryPoint}, " "))
	assert.Equal(t, []string{"desktop"}, m.Platforms)
	require.Len(t, m.Commands, 2)
	assert.Equal(t, "qq_send_group_msg", m.Commands[0].Name)
	assert.Nil(t, m.Commands[1].Parameters)

	base := `"name":"a","version":"1","description":"d","pluginType":"static","entryPoint":"x"`
	for _, tt := range []struct {
		name, text string
		want       []string // commands; nil: rejected
	}{
		{"no commands", `{` + base + `}`, []string{}},
		{"tool definitions", `{` + base + `,"capabilities":{"toolDefinitions":[{"type":"function","function":{"name":"t","description":"d","parameters":{"type":"object","properties":{}}}}]}}`, []string{"t"}},
		{"a list of parameters", `{` + base + `,"capabilities":{"invocationCommands":[{"commandIdentifier":"t","description":"d","params":[{"name":"x","type":"integer","required":true},{"name":"y"}]}]}}`, []string{"t"}},
		{"methods", `{` + base + `,"methods":[{"name":"t","description":"d"}]}`, []string{"t"}},
		{"the second form", `{"id":"a","name":"名字","version":"1","type":"tool","entry":"./x.js","category":"work","platforms":["desktop"],"userCopy":{"zh":"…"},"tools":[{"name":"t","description":"d","display":"显示","parameters":{"type":"object"}}]}`, []string{"t"}},
		{"an unknown field", `{` + base + `,"permissions":["L1"]}`, nil},
		{"a tier", `{` + base + `,"methods":[{"name":"t","description":"d","tier":"L1"}]}`, nil},
		{"an unknown field of a capability", `{` + base + `,"capabilities":{"commands":[]}}`, nil},
		{"another case", `{"Name":"a","version":"1","description":"d","pluginType":"static"}`, nil},
		{"a field twice", `{` + base + `,"name":"b"}`, nil},
		{"two forms", `{"id":"a",` + base + `}`, nil},
		{"tools of the other form", `{` + base + `,"tools":[]}`, nil},
		{"no name", `{"version":"1","description":"d","pluginType":"static"}`, nil},
		{"a path as name", `{"name":"../a","version":"1","description":"d","pluginType":"static"}`, nil},
		{"no version", `{"name":"a","description":"d","pluginType":"static"}`, nil},
		{"no description", `{"name":"a","version":"1","pluginType":"static"}`, nil},
		{"no such type", `{"name":"a","version":"1","description":"d","pluginType":"exe"}`, nil},
		{"a command twice", `{` + base + `,"methods":[{"name":"t","description":"d"}],"capabilities":{"invocationCommands":[{"commandIdentifier":"t","description":"d"}]}}`, nil},
		{"a command of no name", `{` + base + `,"methods":[{"description":"d"}]}`, nil},
		{"a command of two names", `{` + base + `,"methods":[{"name":"t","commandIdentifier":"u","description":"d"}]}`, nil},
		{"a command without a description", `{` + base + `,"methods":[{"name":"t","description":""}]}`, nil},
		{"parameters twice", `{` + base + `,"methods":[{"name":"t","description":"d","parameters":{"type":"object"},"params":[]}]}`, nil},
		{"a parameter twice", `{` + base + `,"methods":[{"name":"t","description":"d","params":[{"name":"x"},{"name":"x"}]}]}`, nil},
		{"a parameter of no type", `{` + base + `,"methods":[{"name":"t","description":"d","params":[{"name":"x","type":"path"}]}]}`, nil},
		{"a schema that refers to itself", `{` + base + `,"methods":[{"name":"t","description":"d","parameters":{"type":"object","$ref":"#"}}]}`, nil},
		{"no function", `{` + base + `,"capabilities":{"toolDefinitions":[{"type":"retrieval","function":{"name":"t","description":"d"}}]}}`, nil},
		{"a wrong type", `{` + base + `,"platforms":"desktop"}`, nil},
		{"a long name", `{"name":"` + strings.Repeat("a", 65) + `","version":"1","description":"d","pluginType":"static"}`, nil},
		{"too large", `{` + base + `,"author":"` + strings.Repeat("a", 300<<10) + `"}`, nil},
		{"too many", `{` + base + `,"methods":[` + list(257, func(int) string { return `{"name":"t","description":"d"}` }) + `]}`, nil},
		{"no object", `[]`, nil},
		{"nothing", ``, nil},
	} {
		m, err := nit.ParseManifest([]byte(tt.text))
		if tt.want == nil {
			assert.Error(t, err, tt.name)
			continue
		}
		require.NoError(t, err, tt.name)
		got := []string{}
		for _, c := range m.Commands {
			got = append(got, c.Name)
		}
		assert.Equal(t, tt.want, got, tt.name)
		assert.Equal(t, "a", m.Name, tt.name)
	}
}

// An accepted manifest is within its limits and decodes to itself after encoding.
func FuzzManifest(f *testing.F) {
	f.Add([]byte(firstForm))
	f.Add([]byte(`{"id":"a","name":"n","version":"1","type":"tool","entry":"x","category":"c","tools":[{"name":"t","description":"d","parameters":{"type":"object"}}]}`))
	f.Add([]byte(`{"name":"a","version":"1","description":"d","pluginType":"static","methods":[{"name":"t","description":"d","params":[{"name":"x","type":"integer","required":true}]}],"capabilities":{"toolDefinitions":[{"type":"function","function":{"name":"u","description":"d"}}]}}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		m, err := nit.ParseManifest(raw)
		if err != nil {
			return
		}
		require.LessOrEqual(t, len(m.Commands), 256)
		written, err := json.Marshal(m)
		require.NoError(t, err)
		if len(written) > 256<<10 {
			return // escapes
		}
		again, err := nit.ParseManifest(written)
		require.NoError(t, err, "%s", written)
		rewritten, err := json.Marshal(again)
		require.NoError(t, err)
		require.Equal(t, string(written), string(rewritten))
	})
}
