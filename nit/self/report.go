package self

import (
	"fmt"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/nit/internal/unseen"
)

// An Urgency says how much a report hurries.
type Urgency string

// The urgencies. Of reports that wait, the more urgent goes first; limits hold for all.
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

// A Reason says by which criterion something is reported.
type Reason string

// The criteria.
const (
	AskedForOwner Reason = "asked_for_owner" // somebody looks for the owner
	Urgent        Reason = "urgent"          // something urgent or grave
	WatchedPerson Reason = "watched_person"  // somebody under special watch began to talk
	ModelDecision Reason = "judged"          // the being thinks that it is worth telling
)

// Text words the reason in Chinese and English.
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

// A Report is what a being tells its owner of a chat. Its Content is data: a being's words, which people in that chat may have led it to.
type Report struct {
	ID       string    `json:"id"` // unique; a report that is delivered twice, by a crash, has the same
	At       time.Time `json:"at"`
	Content  string    `json:"content"`
	Urgency  Urgency   `json:"urgency"`
	Reason   Reason    `json:"reason"`
	Platform string    `json:"platform,omitzero"` // where it comes from, and who was talked to there
	Session  string    `json:"session,omitzero"`
	Person   string    `json:"person,omitzero"`
	Count    int       `json:"times"`             // how often it was said while it waited
	Sources  []string  `json:"sources,omitempty"` // what it was made of
}

// Text is the report for people: a line that says what it is and where it is from, and then its content, each line of it quoted.
func (r Report) Text(at *time.Location) string {
	zh, _ := r.Reason.Text()
	var b strings.Builder
	fmt.Fprintf(&b, "【汇报】%s", zh)
	if r.Urgency == High {
		b.WriteString("，很急")
	}
	fmt.Fprintf(&b, "。来自 %s %s", plain(r.Platform), plain(r.Session))
	if r.Person != "" {
		fmt.Fprintf(&b, "，当时在和 %s 说话", plain(r.Person))
	}
	b.WriteString("，" + r.At.In(at).Format("2006-01-02 15:04:05"))
	if r.Count > 1 {
		fmt.Fprintf(&b, "，共 %d 次", r.Count)
	}
	b.WriteString("：")
	for line := range strings.SplitSeq(clean(r.Content), "\n") {
		b.WriteString("\n> " + line)
	}
	return b.String()
}

// clean makes text valid UTF-8 without what a reader would not see, line ends apart.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\t' || r == 0x200C || unseen.InText(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}

// plain is clean in one line.
func plain(s string) string { return strings.ReplaceAll(clean(s), "\n", " ") }
