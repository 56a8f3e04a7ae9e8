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

// A RequestContext is a [Request] as a model is to judge it. What is known of who asks stands in the scene's People and Recall.
type RequestContext struct {
	persona.Request
	Energy   float64 // that the being has, 0 to 1; negative: not told
	Interest float64 // that it has in who asks, 0 to 1; negative: not known
}

// A Decision says what becomes of a [Request].
type Decision uint8

// The decisions. The zero Decision grants nothing.
const (
	Hold Decision = iota // left to the owner
	Approve
	Reject
)

// String gives "hold", "approve" or "reject".
func (d Decision) String() string { return enum.Name([]string{"hold", "approve", "reject"}, int(d)) }

// A RequestDecision is what a model makes of a [RequestContext].
type RequestDecision struct {
	Decision Decision
	Reason   string // for the owner: it may be made of what was said in chats that who asks is not in
	Notify   bool   // the owner is to know of it
	Greet    bool   // it wants to say the first words to a new friend
}

const (
	maxComment = 500 // runes of what somebody wrote along with a request
	maxReason  = 200
)

// ParseRequestDecision reads what a model answered to [JudgeRequest]. Text around the JSON does no harm. What is not exactly one
// of the three decisions, or says two of them, is an error that matches [ErrInvalidAnswer], and grants nothing.
func ParseRequestDecision(answer string) (RequestDecision, error) {
	var a struct {
		Decision modeljson.Text `json:"decision"`
		Reason   modeljson.Text `json:"reason"`
		Notify   modeljson.Text `json:"notify"`
		Greeting modeljson.Text `json:"greeting"`
	}
	b, err := object(answer, &a)
	if err != nil {
		return RequestDecision{}, err
	}
	if n := modeljson.Count(b, "decision"); n != 1 {
		return RequestDecision{}, fmt.Errorf("%w: it decides %d times", ErrInvalidAnswer, n)
	}
	reason := strings.Join(strings.Fields(spoken(string(a.Reason))), " ")
	j := RequestDecision{Reason: clip.Runes(reason, maxReason), Notify: wanted(a.Notify), Greet: wanted(a.Greeting)}
	switch strings.ToLower(strings.TrimSpace(string(a.Decision))) {
	case "approve":
		j.Decision = Approve
	case "reject":
		j.Decision = Reject
	case "hold":
	default:
		return RequestDecision{}, fmt.Errorf("%w: the decision is none of approve, reject and hold", ErrInvalidAnswer)
	}
	return j, nil
}

// wanted reports whether a text says yes: true, or words where a yes or no was asked for.
func wanted(t modeljson.Text) bool {
	switch strings.ToLower(strings.TrimSpace(string(t))) {
	case "", "false", "null", "no", "none", "0", "否", "不", "无", "{}", "[]":
		return false
	}
	return true
}

// petition writes what somebody asks for.
func (d *draft) petition(p *RequestContext) {
	if p == nil {
		return
	}
	d.raw("<request")
	d.attr(` kind="`, p.Kind, maxName)
	d.attr(` sender="`, p.Name, maxName)
	d.optional(` sender_id="`, p.From.ID, maxName)
	d.optional(` group_id="`, p.Group, maxName)
	d.optional(` group_name="`, p.GroupName, maxName)
	d.time(p.At)
	d.raw(">")
	d.text(p.Comment, maxComment)
	d.raw("</request>\n")
	if p.Energy < 0 {
		return
	}
	d.raw(`<self energy="` + share(p.Energy))
	if p.Interest >= 0 {
		d.raw(`" interest="` + share(p.Interest))
	}
	d.raw("\"/>\n")
}

func share(f float64) string { return strconv.FormatFloat(min(max(f, 0), 1), 'f', 2, 64) }
