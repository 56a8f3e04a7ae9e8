package self

import (
	"fmt"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/nit/internal/unseen"
)

// An Urgency is the urgency of a report.
type Urgency string

// The urgencies. More urgent reports are delivered first. The limits count for all.
const (
	Low    Urgency = "low"
	Normal Urgency = "normal"
	High   Urgency = "high"
)

func (u Urgency) rank() int {
	switch u {
	case Low:
		return 0
	case High:
		return 2
	}
	return 1
}

// A Reason is the criterion for a report.
type Reason string

// The criteria.
const (
	AskedForOwner Reason = "asked_for_owner" // somebody looks for the owner
	Urgent        Reason = "urgent"          // a message is urgent or serious
	WatchedPerson Reason = "watched_person"  // a watched person started to talk
	ModelDecision Reason = "judged"          // the model considers it useful for the owner
)

// Text returns a description of the reason in Chinese and English.
func (r Reason) Text() (zh, en string) {
	switch r {
	case AskedForOwner:
		return "有人找主人", "somebody looks for the owner"
	case Urgent:
		return "紧急或重大的事", "something urgent or grave"
	case WatchedPerson:
		return "特别关注的人说话了", "somebody under special watch began to talk"
	}
	return "觉得主人会想知道", "thought to be of value to the owner"
}

// A Report is a message from the bot to its owner about a chat. Content is untrusted: people in that chat may have
// influenced the bot's words.
type Report struct {
	ID       string    `json:"id"` // unique; a second delivery after a crash has the same ID
	At       time.Time `json:"at"`
	Content  string    `json:"content"`
	Urgency  Urgency   `json:"urgency"`
	Reason   Reason    `json:"reason"`
	Platform string    `json:"platform,omitzero"` // source of the report and the person in the conversation
	Session  string    `json:"session,omitzero"`
	Person   string    `json:"person,omitzero"`
	ChatName string    `json:"chat_name,omitzero"` // of Session, for people; "" if unknown
	Name     string    `json:"name,omitzero"`      // of Person, for people; "" if unknown
	Count    int       `json:"times"`              // number of submissions while it waited
	Sources  []string  `json:"sources,omitempty"`  // ids of the source messages
	Label    string    `json:"label,omitempty"`    // label of the data behind it, in the host's form; "" if unknown
}

// Text formats the report for people. The first line has the reason, the source and the time. The content follows, with
// every line quoted.
func (r Report) Text(at *time.Location) string {
	zh, _ := r.Reason.Text()
	var b strings.Builder
	fmt.Fprintf(&b, "【汇报】%s", zh)
	if r.Urgency == High {
		b.WriteString("，很急")
	}
	b.WriteString("。来自" + strings.TrimRight(named(r.ChatName, r.Platform+" "+r.Session), " "))
	if r.Person != "" {
		fmt.Fprintf(&b, "，当时在和%s说话", named(r.Name, r.Person))
	}
	b.WriteString("，" + r.At.In(at).Format("2006-01-02 15:04:05"))
	if r.Count > 1 {
		fmt.Fprintf(&b, "，共 %d 次", r.Count)
	}
	b.WriteString("：")
	for line := range strings.SplitSeq(cleanText(r.Content), "\n") {
		b.WriteString("\n> " + line)
	}
	return b.String()
}

// named formats an id, or a quoted name and an id. People choose names themselves.
func named(name, id string) string {
	name, id = strings.NewReplacer("「", "", "」", "").Replace(cleanLine(name)), cleanLine(id)
	if name == "" {
		return " " + id + " "
	}
	return "「" + name + "」（" + id + "）"
}

// cleanText makes s valid UTF-8 and removes invisible characters. It keeps line breaks.
func cleanText(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\t' || r == 0x200C || unseen.InText(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}

// cleanLine is like clean and joins all lines.
func cleanLine(s string) string { return strings.ReplaceAll(cleanText(s), "\n", " ") }
