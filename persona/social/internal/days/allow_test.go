package days

import (
	"encoding/json"
	"testing"

	"github.com/hearth-bot/hearth/nit"
	"github.com/stretchr/testify/assert"
)

func TestStands_IsAWholeName(t *testing.T) {
	for _, c := range []struct {
		text, name string
		want       bool
	}{
		{"用 shell_exec 关机", "shell_exec", true},
		{"用shell_exec关机", "shell_exec", true},
		{"shell_exec", "shell_exec", true},
		{"shell_exec2，shell_exec", "shell_exec", true},
		{"shell_executor", "shell_exec", false},
		{"my_shell_exec", "shell_exec", false},
		{"给技术群里说", "技术群", true},
		{"发到 group_12", "12", false},
		{"aa", "a", false},
		{"aa a", "a", true},
		{"", "a", false},
		{"a", "", false},
	} {
		assert.Equal(t, c.want, stands(c.text, c.name), "%q in %q", c.name, c.text)
	}
}

func TestWithin_KeepsToWhatTheWordsName(t *testing.T) {
	policy := within("给 group_12 说早安，再找 34，还有技术群", []string{"send"})
	for args, want := range map[string]nit.Decision{
		`{}`: nit.Allow, `{"content":"早安"}`: nit.Allow, `{"target_id":"group_12"}`: nit.Allow, `{"target_id":"技术群"}`: nit.Allow,
		`{"target_id":34}`: nit.Allow, `{"target_id":"user_34"}`: nit.Allow, `{"group_id":"group_12","user_id":34}`: nit.Allow,
		`{"target_id":"group_1"}`: nit.Deny, `{"target_id":2}`: nit.Deny, `{"group_id":"group_12","user_id":"3"}`: nit.Deny, `{"target_id":{}}`: nit.Deny,
	} {
		got, _ := policy(t.Context(), nit.Request{Tool: nit.Info{Name: "send"}, Args: json.RawMessage(args)})
		assert.Equal(t, want, got, args)
	}
	got, err := policy(t.Context(), nit.Request{Tool: nit.Info{Name: "look"}, Args: json.RawMessage(`{"target_id":"group_1"}`)})
	assert.NoError(t, err)
	assert.Equal(t, nit.Allow, got, "it was not allowed by a human")
}
