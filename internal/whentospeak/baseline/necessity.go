package baseline

import (
	"bytes"
	"cmp"
	"errors"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/internal/clip"
	"github.com/hearth-bot/hearth/internal/fold"
	"github.com/hearth-bot/hearth/internal/lookback"
)

// NecessityOptions configure a [Necessity].
type NecessityOptions struct {
	Frequency float64 // talkativeness, above 0 and at most 1; 0 means 1
	Trigger   float64 // minimum score to ask a model; 0 means 80
}

// Necessity asks a model if a reply seems needed, by the score of MaiBot 1.2. The score grows with the relevance of
// the message for the bot, with its content, and with the number of waiting messages. It falls with the bot's share
// of the conversation.
//
//	score = (relevance + content + pressure - presence) * (.5 + .5*Frequency)
//
// relevance is 100 for an @ or a quote, 80 for a name, and 40 in private. content is 15 for a question, 20 for a
// request, 20 for a request for the bot's opinion, 5 from 40 characters on, 10 from 120 on, and -25 for a short
// reaction. Let r be the number of messages since the bot spoke, divided by 1/Frequency² rounded up. pressure is
// 50*r² up to r = 1. It is 15 more, but at most 50, after a silence as long as the average gap between lines. Beyond
// r = 1 it grows to 100 at r = 5 by the logarithm. presence is 0 while at most a quarter of the lines of five minutes
// are the bot's, and 25 from .6 on.
//
// The Score of a verdict is score/100, limited to 0 to 1.
type Necessity struct {
	source
	frequency, trigger float64
}

// NewNecessity returns an error for a Frequency above 1 and for negative numbers.
func NewNecessity(o NecessityOptions) (*Necessity, error) {
	if !(o.Frequency >= 0 && o.Frequency <= 1 && o.Trigger >= 0) {
		return nil, errors.New("baseline: Necessity: Frequency must be from 0 to 1, and Trigger not negative")
	}
	s, err := newSource(true)
	return &Necessity{s, cmp.Or(o.Frequency, 1), cmp.Or(o.Trigger, 80)}, err
}

// Judge implements [heartflow.Policy].
func (n *Necessity) Judge(m *heartflow.PolicyInput) heartflow.Verdict {
	pace := lookback.ViewOf(m).Pace
	relevance := relevance(m)
	content := content(m, relevance > 0)
	pressure := pressure(pace, math.Ceil(1/(n.frequency*n.frequency)))
	presence := presence(pace.Share)
	score := (relevance + content + pressure - presence) * (.5 + .5*n.frequency)

	m.Gate(heartflow.Gate{Code: WhyRelevance, Value: relevance, Pass: relevance > 0})
	m.Gate(heartflow.Gate{Code: WhyContent, Value: content, Pass: content > 0})
	m.Gate(heartflow.Gate{Code: WhyPressure, Value: pressure, Pass: pressure > 0})
	m.Gate(heartflow.Gate{Code: WhyPresence, Value: presence, Pass: presence == 0})
	v := heartflow.Verdict{Score: min(max(score/100, 0), 1), Why: whyNotNeeded}
	if m.Gate(heartflow.Gate{Code: WhyNeeded, Value: score, Threshold: n.trigger, Pass: score >= n.trigger}) {
		v.Do, v.Why = heartflow.Ask, whyNeeded
	}
	if m.Addressed {
		v.Why = m.AddressedBy
	}
	return v
}

// relevance depends on the reasons for which the batch addresses the bot.
func relevance(m *heartflow.PolicyInput) float64 {
	switch {
	case slices.Contains(m.AddressedBy, heartflow.WhyMentioned), slices.Contains(m.AddressedBy, heartflow.WhyRepliedTo):
		return 100
	case slices.Contains(m.AddressedBy, heartflow.WhyNamed), slices.Contains(m.AddressedBy, heartflow.WhyWakeWord):
		return 80
	case slices.Contains(m.AddressedBy, heartflow.WhyPrivate):
		return 40
	}
	return 0
}

// content returns the score of the best message in the batch. direct means that the batch addresses the bot.
func content(m *heartflow.PolicyInput, direct bool) float64 {
	best := math.Inf(-1)
	for i := range m.Batch {
		best = max(best, worth(m.Batch[i].Text, direct))
	}
	if math.IsInf(best, 0) {
		return 0
	}
	return best
}

// maxAnalyzed is the maximum length of an analyzed text, in bytes.
const maxAnalyzed = 1000

func worth(text string, direct bool) (score float64) {
	var scratch [1024]byte
	buf := fold.Append(scratch[:0], clip.Bytes(text, maxAnalyzed))
	t := lookback.Analyze(buf, nil)
	if t.Asks() {
		score += 15
	}
	if !toAssistant(buf) && (hasAny(buf, requests) || direct && hasAny(buf, weakRequests)) {
		score += 20
	}
	if direct && hasAny(buf, opinions) {
		score += 20
	}
	switch n := utf8.RuneCountInString(text); {
	case n >= 120:
		score += 10
	case n >= 40:
		score += 5
	}
	if t.Reacts() {
		score -= 25
	}
	return score
}

// Phrases in folded texts.
var (
	requests     = phrases("帮我|帮忙|求助|教我|告诉我|help me|can you|could you|please help|tell me")
	weakRequests = phrases("请|求|麻烦|来个|给我|看看|试试|please|show me|explain") // count only if the bot is addressed
	opinions     = phrases("你觉得|你认为|怎么看|你说呢|你喜欢|what do you think|your opinion|do you like")
	assistants   = phrases("豆包|文心一言|通义千问|元宝|小爱同学|小度|kimi|chatgpt|siri|alexa")
)

func endsWord(r rune) bool {
	return r == ' ' || strings.ContainsRune(",!?;:~…，。！？；：、～", r)
}

func phrases(list string) [][]byte { return bytes.Split([]byte(list), []byte{'|'}) }

func hasAny(text []byte, phrases [][]byte) bool {
	return slices.ContainsFunc(phrases, func(p []byte) bool { return bytes.Contains(text, p) })
}

// toAssistant reports whether a text begins with the name of another assistant.
func toAssistant(buf []byte) bool {
	for _, a := range assistants {
		if rest, ok := bytes.CutPrefix(bytes.TrimPrefix(buf, []byte("@")), a); ok {
			r, _ := utf8.DecodeRune(rest)
			return len(rest) == 0 || endsWord(r)
		}
	}
	return false
}

// pressure grows with the number of waiting messages.
func pressure(p lookback.Pace, waits float64) float64 {
	r := float64(p.Pending) / waits
	if r > 1 {
		return 50 + 50*min(1, math.Log(r)/math.Log(5))
	}
	score := 50 * r * r
	if p.Pending > 0 && p.Idle >= p.Gap {
		score = min(score+15, 50)
	}
	return score
}

// presence returns the reduction for the bot's share of the lines.
func presence(share float64) float64 { return 25 * min(max((share-.25)/(.6-.25), 0), 1) }

var (
	whyNeeded    = []heartflow.Code{WhyNeeded}
	whyNotNeeded = []heartflow.Code{WhyNotNeeded}
)

// Reasons in the verdicts and traces of a [Necessity]: the parts of its score, and the outcome.
const (
	WhyRelevance heartflow.Code = "relevance"
	WhyContent   heartflow.Code = "content"
	WhyPressure  heartflow.Code = "pressure"
	WhyPresence  heartflow.Code = "presence"
	WhyNeeded    heartflow.Code = "needed"
	WhyNotNeeded heartflow.Code = "not_needed"
)
