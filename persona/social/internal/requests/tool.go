package requests

import (
	"context"
	"errors"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/prompt"
	"github.com/hearth-bot/hearth/persona/social/internal/engine"
	"github.com/tmc/langchaingo/llms"
)

// maxJudgeCalls limits the tool calls of a judging turn.
const maxJudgeCalls = 2

// An answerTool is the link's tool for answering a request, in the turn that judges it. A call decides, and the request
// is answered later, by the one function that answers requests. No other turn in persona mode has the tool.
type answerTool struct {
	view     *nit.View // nil: the link has no such tool, or its plugin is off
	called   bool
	decision prompt.RequestDecision
	remark   string
}

type answerIn struct {
	Flag    nit.ID `json:"flag" jsonschema:"这条申请的 flag，原样填写"`
	Approve *bool  `json:"approve,omitempty" jsonschema:"同意还是拒绝"`
	Remark  string `json:"remark,omitempty" jsonschema:"同意后给对方的备注名"`
}

type inviteIn struct {
	Flag    nit.ID `json:"flag" jsonschema:"这条邀请的 flag，原样填写"`
	Approve *bool  `json:"approve,omitempty" jsonschema:"同意还是拒绝"`
}

// newAnswerTool returns the tool for a request. Its schema has the request's flag, and no other flag is valid.
func (h *Handler) newAnswerTool(r persona.Request) (*answerTool, error) {
	t := &answerTool{}
	name := engine.FriendRequestTool
	if r.Kind == persona.GroupInvite {
		name = engine.GroupInviteTool
	}
	who := nit.Principal{Mode: nit.ModePersona, Tiers: nit.L1, Platform: r.From.Platform, Person: r.From.ID, Session: privateOf(r).SessionID()}
	about := ""
	for _, tool := range h.engine.Tools.View(who).Tools() {
		if tool.Function != nil && tool.Function.Name == name {
			about = tool.Function.Description
		}
	}
	if about == "" {
		return t, nil
	}
	shown := nit.EditSchema(func(s *jsonschema.Schema) {
		s.Properties["flag"].Enum = []any{r.ID}
		s.Properties["approve"].Default = []byte("true")
	})
	decide := func(flag nit.ID, approve *bool, remark string) (string, error) {
		switch {
		case string(flag) != r.ID:
			return "", nit.ErrUnknownTool
		case t.called:
			return "", nit.ModelError("已经决定过了，不能再改")
		}
		t.called, t.remark = true, engine.QuoteLine(remark)
		if t.decision.Decision = prompt.Reject; approve == nil || *approve {
			t.decision.Decision = prompt.Approve
		}
		return "记下了，过一会儿会答复对方。现在只回复 [skip]。", nil
	}
	define := func() (nit.Tool, error) {
		return nit.Define(name, nit.L1, about, func(_ context.Context, in answerIn) (string, error) {
			return decide(in.Flag, in.Approve, in.Remark)
		}, shown, nit.EditSchema(func(s *jsonschema.Schema) { s.Properties["remark"].MaxLength = new(60) }))
	}
	if r.Kind == persona.GroupInvite {
		define = func() (nit.Tool, error) {
			return nit.Define(name, nit.L1, about, func(_ context.Context, in inviteIn) (string, error) { return decide(in.Flag, in.Approve, "") }, shown)
		}
	}
	tool, err := define()
	if err != nil {
		return nil, err
	}
	own := &nit.Registry{Logger: h.engine.Log}
	if err := own.Add(tool); err != nil {
		return nil, err
	}
	t.view = own.View(who)
	return t, nil
}

// Tools implements prompt.Toolbox.
func (t *answerTool) Tools() []llms.Tool {
	if t.view == nil {
		return nil
	}
	return t.view.Tools()
}

// Call implements prompt.Toolbox.
func (t *answerTool) Call(ctx context.Context, call llms.ToolCall) llms.ToolCallResponse {
	return t.view.Call(ctx, call)
}

var errContradiction = errors.New("social: the model decided differently by its tool call and by its text")

// result returns the decision: by the call, by the JSON of the text, or by both if they agree. messages are those that the
// model saw.
func (t *answerTool) result(text string, messages []string) (prompt.RequestDecision, error) {
	said, err := prompt.ParseRequestDecision(text, messages...)
	switch {
	case !t.called:
		return said, err
	case err != nil:
		return t.decision, nil
	case said.Decision != t.decision.Decision:
		return prompt.RequestDecision{}, errContradiction
	}
	return said, nil
}
