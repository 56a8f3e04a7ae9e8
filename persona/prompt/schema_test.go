package prompt_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/prompt"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var errNotOK = errors.New("not ok")

func isOK(answer string) error {
	if answer != "ok" {
		return errNotOK
	}
	return nil
}

func TestTurn_Check(t *testing.T) {
	read := modeltest.Call("read", nil)
	for name, c := range map[string]struct {
		script []modeltest.Step
		text   string
		steps  int
	}{
		"accepted":         {[]modeltest.Step{modeltest.Say("ok")}, "ok", 1},
		"repaired":         {[]modeltest.Step{modeltest.Say("可以"), modeltest.Say("<think>嗯</think>ok")}, "ok", 2},
		"once":             {[]modeltest.Step{modeltest.Say("可以"), modeltest.Say("好的")}, "可以", 2},
		"empty":            {[]modeltest.Step{modeltest.Say(""), modeltest.Say("ok")}, "ok", 2},
		"skip":             {[]modeltest.Step{modeltest.Say("[skip]")}, "", 1},
		"skip at last":     {[]modeltest.Step{modeltest.Say("可以"), modeltest.Say("[skip]")}, "可以", 2},
		"failed":           {[]modeltest.Step{modeltest.Say("可以"), modeltest.HTTPError(500, "")}, "可以", 2},
		"after a tool":     {[]modeltest.Step{read, modeltest.Say("可以"), modeltest.Say("ok")}, "ok", 3},
		"calls in the end": {[]modeltest.Step{modeltest.Say("可以"), read}, "可以", 2},
	} {
		m := modeltest.New(c.script...)
		box := &tools{names: []string{"read"}}
		turn := prompt.Turn{Model: m, Toolbox: box, Check: isOK, MaxCalls: 1}
		reply, err := turn.Run(t.Context(), "sys", "scene")
		require.NoError(t, err, name)
		assert.Equal(t, c.text, reply.Text, name)
		assert.Equal(t, c.steps, reply.Steps, name)
		assert.Equal(t, c.steps, reply.Usage.Calls, name)
		assert.Zero(t, m.Remaining(), name)
		last := m.Prompts()[c.steps-1]
		asksAgain := strings.Contains(last.Text(), "只回答一个完整的 JSON")
		assert.Equal(t, c.steps > 1, asksAgain, name)
		if !asksAgain {
			continue
		}
		assert.Equal(t, c.script[len(c.script)-2].Text != "", strings.Contains(last.Text(), "可以"), "%s: it reads its own answer", name)
		assert.Empty(t, last.ToolNames(), name)
		assert.Empty(t, last.ToolResults(), "%s: their calls need the reasoning of the turn", name)
	}
}

// The call that repairs an answer is within the time of the turn.
func TestTurn_CheckWithinTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turn := prompt.Turn{Model: modeltest.New(modeltest.Say("可以").After(4*time.Second), modeltest.Say("ok").After(4*time.Second)), Check: isOK, Timeout: 5 * time.Second}
		start := time.Now()
		_, err := turn.Run(t.Context(), "", "")
		require.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Equal(t, 5*time.Second, time.Since(start))
	})
}

// The schema goes with calls that have no tools.
func TestTurn_Schema(t *testing.T) {
	var got []bool
	m := modeltest.Func(func(ctx context.Context, _ modeltest.Prompt) modeltest.Step {
		got = append(got, prompt.SchemaOf(ctx) != nil)
		return modeltest.Say("可以")
	})
	schema := prompt.AnswerSchema(prompt.Scene{Kind: prompt.Consider})
	for _, turn := range []prompt.Turn{{Schema: schema}, {}, {Schema: schema, Toolbox: &tools{names: []string{"read"}}, Check: isOK}} {
		turn.Model = m
		_, err := turn.Run(t.Context(), "", "")
		require.NoError(t, err)
	}
	assert.Equal(t, []bool{true, false, false, true}, got, "the last one repairs")
}

// Each schema accepts an answer of the form in the instructions, and has the form of strict schemas.
func TestAnswerSchema(t *testing.T) {
	for kind, answers := range map[prompt.Kind][]string{
		prompt.Plan:          {`{"action":"no_reply","reasoning":"x","emoji_query":"","at_user":"1","poke_user":""}`},
		prompt.Consider:      {`{"decision":true,"reason":"x"}`},
		prompt.ConsiderFocus: {`{"decision":false,"reason":""}`},
		prompt.Dream:         {`{"insights":[],"facts":[]}`, `{"insights":[{"text":"a","about":"1","importance":0.5,"from":["1"],"replaces":[]}],"facts":[{"about":"1","relation":"job","value":"b","over":false,"from":"1"}]}`},
		prompt.UpdatePeople:  {`{"people":[{"id":"1","feeling":"happy","stance":-1,"impression":""}],"names":[{"id":"1","name":"a","by":"2","sure":true}]}`},
		prompt.ExplainWords:  {`{"words":[]}`, `{"words":[{"word":"a","meaning":"b","kind":"jargon"}]}`},
		prompt.JudgeRequest:  {`{"decision":"hold","reason":"x","notify":false,"greeting":true}`},
	} {
		s := prompt.AnswerSchema(prompt.Scene{Kind: kind, Choices: prompt.Choices{AllowedActions: []string{"text_reply", "no_reply"}}})
		require.NotNil(t, s, kind)
		assert.Equal(t, kind.String(), s.Name)
		var schema jsonschema.Schema
		require.NoError(t, json.Unmarshal(s.JSON, &schema), kind)
		resolved, err := schema.Resolve(nil)
		require.NoError(t, err, kind)
		for _, answer := range answers {
			var v any
			require.NoError(t, json.Unmarshal([]byte(answer), &v))
			require.NoError(t, resolved.Validate(v), kind)
			v.(map[string]any)["more"] = 1
			require.Error(t, resolved.Validate(v), "%v: no other members", kind)
		}
		require.Error(t, resolved.Validate(map[string]any{}), "%v: all members are required", kind)
	}
	assert.Nil(t, prompt.AnswerSchema(prompt.Scene{Kind: prompt.Summarize}))
	assert.Nil(t, prompt.AnswerSchema(prompt.Scene{}))
	plan := prompt.AnswerSchema(prompt.Scene{Kind: prompt.Plan, Choices: prompt.Choices{AllowedActions: []string{"no_reply"}}})
	assert.NotContains(t, string(plan.JSON), "text_reply", "a withheld action is not offered")
}
