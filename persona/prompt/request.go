package prompt

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/hearth-bot/hearth/internal/clip"
	"github.com/hearth-bot/hearth/internal/modeljson"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/internal/enum"
)

// A RequestContext is a [persona.Request] with the context for the model's decision. Facts about the requester are in
// [Scene.People] and [Scene.Memories].
type RequestContext struct {
	persona.Request
	Energy   float64 // the bot's energy, 0 to 1; negative hides it
	Interest float64 // the bot's interest in the requester, 0 to 1; negative means unknown
}

// A Decision is the answer to a [persona.Request].
type Decision uint8

// The decisions. The zero Decision approves nothing.
const (
	Hold Decision = iota // leave it to the owner
	Approve
	Reject
)

// String returns "hold", "approve" or "reject".
func (w Decision) String() string { return enum.Name([]string{"hold", "approve", "reject"}, int(w)) }

// A RequestDecision is the model's decision about a [RequestContext].
type RequestDecision struct {
	Decision Decision
	Reason   string // for the owner only: it may quote chats that the requester is not in
	Notify   bool   // notify the owner
	Greet    bool   // send a first message to the new friend
}

const (
	maxComment = 500 // runes of the requester's comment
	maxReason  = 200
)

// ParseRequestDecision parses the answer to [JudgeRequest]. Text around the JSON is ignored. The answer must contain exactly
// one of the three decisions, and its JSON must be complete. Otherwise it is an error that matches [ErrInvalidAnswer], and
// nothing is approved. messages are those that the model saw, such as the request's comment. JSON that repeats one of them
// is a quote and not a decision, unless it is the whole answer.
func ParseRequestDecision(answer string, messages ...string) (RequestDecision, error) {
	var a struct {
		Decision modeljson.Text `json:"decision"`
		Reason   modeljson.Text `json:"reason"`
		Notify   modeljson.Text `json:"notify"`
		Greeting modeljson.Text `json:"greeting"`
	}
	if err := decodeObject(answer, &a, modeljson.Options{Keys: []string{"decision"}, Messages: messages, Complete: true}); err != nil {
		return RequestDecision{}, err
	}
	reason := strings.Join(strings.Fields(replyText(string(a.Reason))), " ")
	j := RequestDecision{Reason: clip.Runes(reason, maxReason), Notify: isYes(a.Notify), Greet: isYes(a.Greeting)}
	word, ok := a.Decision.Word("approve", "reject", "hold")
	if !ok {
		return RequestDecision{}, fmt.Errorf("%w: invalid decision, want approve, reject or hold", ErrInvalidAnswer)
	}
	j.Decision = map[string]Decision{"approve": Approve, "reject": Reject, "hold": Hold}[word]
	return j, nil
}

// isYes reports whether a text means yes. Any text except the usual words for no counts, because models may write a
// reason instead.
func isYes(t modeljson.Text) bool {
	switch strings.ToLower(strings.TrimSpace(string(t))) {
	case "", "false", "null", "no", "none", "0", "否", "不", "无", "{}", "[]":
		return false
	}
	return true
}

// request writes the request.
func (w *contextWriter) request(p *RequestContext) {
	if p == nil {
		return
	}
	w.raw("<request")
	w.attr(` kind="`, p.Kind, maxName)
	w.attr(` sender="`, p.Name, maxName)
	w.optional(` sender_id="`, p.From.ID, maxName)
	w.optional(` group_id="`, p.Group, maxName)
	w.optional(` group_name="`, p.GroupName, maxName)
	w.time(p.At)
	w.raw(">")
	w.text(p.Comment, maxComment)
	w.raw("</request>\n")
	if p.Energy < 0 {
		return
	}
	w.raw(`<self energy="` + formatShare(p.Energy))
	if p.Interest >= 0 {
		w.raw(`" interest="` + formatShare(p.Interest))
	}
	w.raw("\"/>\n")
}

func formatShare(f float64) string { return strconv.FormatFloat(min(max(f, 0), 1), 'f', 2, 64) }
