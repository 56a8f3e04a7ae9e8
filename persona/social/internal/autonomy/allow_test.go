package autonomy

import (
	"encoding/json"
	"testing"

	"github.com/hearth-bot/hearth/nit"
	"github.com/stretchr/testify/assert"
)

func TestContainsName_WholeWord(t *testing.T) {
	for text, want := range map[string]bool{
		"用 shell_exec 关机": true, "用shell_exec关机": true, "shell_exec": true, "shell_exec2，shell_exec": true,
		"shell_executor": false, "my_shell_exec": false, "": false, "shell exec": false,
	} {
		assert.Equal(t, want, containsName(text, "shell_exec"), text)
	}
}

func TestLimitTargets_NamedInText(t *testing.T) {
	policy := limitTargets("早安，group_12，34，还有技术群", []string{"send", "shell_exec"})
	send := nit.ToolInfo{Name: "send", Target: &nit.Target{CommandWords: []string{"发"}, Args: []string{"target_id"}}}
	decide := func(tool nit.ToolInfo, args string) nit.Decision {
		d, err := policy(t.Context(), nit.Request{Tool: tool, Args: json.RawMessage(args)})
		assert.NoError(t, err)
		return d
	}
	for args, want := range map[string]nit.Decision{
		`{"target_id":"group_12"}`: nit.Allow, `{"target_id":"技术群"}`: nit.Allow, `{"target_id":34}`: nit.Allow, `{"target_id":"user_34","content":"56"}`: nit.Allow,
		`{"target_id":"group_1"}`: nit.Deny, `{"target_id":2}`: nit.Deny, `{"target_id":"别的群"}`: nit.Deny, `{"target_id":{}}`: nit.Deny,
	} {
		assert.Equal(t, want, decide(send, args), args)
	}
	assert.Equal(t, nit.Allow, decide(nit.ToolInfo{Name: "shell_exec"}, `{"command":"ls"}`), "it has no target")
	send.Name = "post"
	assert.Equal(t, nit.Allow, decide(send, `{"target_id":"group_1"}`), "the tool was not confirmed")
}
