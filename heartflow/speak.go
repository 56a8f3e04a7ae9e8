package heartflow

import (
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/heartflow/internal/tick"
	"github.com/hearth-bot/hearth/internal/clip"
	"github.com/hearth-bot/hearth/internal/fold"
)

// A [*RefusedError] matches one of these errors.
var (
	ErrCapped     = errors.New("heartflow: rate limit reached")
	ErrStale      = errors.New("heartflow: no current verdict permits the message")
	ErrMuted      = errors.New("heartflow: sending is muted or off")
	ErrOffline    = errors.New("heartflow: offline")
	ErrRepeated   = errors.New("heartflow: repeats a recent message")
	ErrQuietHours = errors.New("heartflow: quiet hours")
)

// RefusedError is the error of [Attention.Speak]. errors.Is matches it with ErrCapped, ErrStale, ErrMuted,
// ErrOffline, ErrRepeated or ErrQuietHours. ErrMuted also means a chat that is off.
type RefusedError struct {
	Code  Code      // the gate that failed
	Until time.Time // when the gate opens; zero: not at a known time
}

// Error returns the code of the gate, and the time when it opens.
func (r *RefusedError) Error() string {
	s := "heartflow: refused to speak: " + string(r.Code)
	if !r.Until.IsZero() {
		s += " until " + r.Until.Format(time.RFC3339)
	}
	return s
}

// Is reports whether target is the sentinel error of r's gate.
func (r *RefusedError) Is(target error) bool {
	switch r.Code {
	case WhyCappedWindow, WhyCappedPerson, WhyCappedInRow, WhyCappedBots:
		return target == ErrCapped
	case WhyStale, WhyNotJudged, WhyRetracted, WhyPassed, WhyAnswered:
		return target == ErrStale
	case WhyRepeated:
		return target == ErrRepeated
	case WhyMuted, WhyMutedAll, WhyOff:
		return target == ErrMuted
	case WhyOffline:
		return target == ErrOffline
	case WhyQuiet:
		return target == ErrQuietHours
	}
	return false
}

// Speak permits one message and counts it, in one step. If it returns nil, send the message now. Call Speak last,
// after every wait for a rate limiter or a typing delay. A reply that is sent in several pieces at once is one
// message.
//
// Speak returns a [*RefusedError] if a gate of [Attention.Judge] other than the budget is closed by now. It refuses a
// reply as stale if the chat has no open turn, if the verdict is older than MaxAge, or if all messages that addressed
// the bot were retracted. It also refuses replies by the rules of [Staleness]. A turn may speak more than once.
//
// With reasons the message is unprompted: it answers nothing, such as an order of the owner. Mutes, sleep and caps apply,
// but it needs no turn and does not change an open one. The reasons go into the trace.
func (a *Attention[K]) Speak(now time.Time, chat K, text string, reasons ...Code) error {
	if len(reasons) > 0 {
		return a.speakUnprompted(now, chat, text, reasons)
	}
	c, at := a.enterChat(now, chat)
	defer a.leave()
	to := c.turn.To
	if !c.turn.Open {
		to = addressee{}
	}
	gates, blocked := c.gates(at, to, c.turn.Spoke, a.gates[:0])
	if blocked == "" {
		blocked = c.turn.blockedBy(at, a.o.MaxAge)
		if g := c.turn.gate(at, a.o.MaxAge, blocked); blocked != "" || g.Value > 0 {
			gates = append(gates, g)
		}
	}
	if q := c.settings.quietHours; blocked == "" && q.at(at, a.account.loc) && c.turn.keepsQuiet(q) {
		blocked = WhyQuiet
		gates = append(gates, Gate{Code: blocked})
	}
	var scratch [fold.MaxTerms]uint32
	words := fold.Terms(scratch[:0], text)
	if blocked == "" {
		gates, blocked = c.checkStaleness(at, words, gates)
	}
	if err := a.permit(c, at, to, c.turn.Spoke, gates, blocked, nil, text); err != nil {
		return err
	}
	c.remember(words)
	c.Lines.add(at, words)
	if b := &c.turn.Batch; len(b.Heard) > 0 {
		c.addOwnTo(at, text, b.answers().features)
	} else {
		c.addOwnTo(at, text, 0)
	}
	if !c.turn.Spoke { // several messages of one turn are one reply
		c.replied(at)
	}
	c.turn.Spoke = true
	a.account.release(&c.turn.Batch)
	if !c.isAddressed(at) {
		c.Summoned = 0
	}
	a.spoken(c, at, gates, nil, text)
	return nil
}

func (a *Attention[K]) speakUnprompted(now time.Time, chat K, text string, reasons []Code) error {
	c, at := a.enterChat(now, chat)
	defer a.leave()
	gates, blocked := c.gates(at, addressee{}, false, a.gates[:0])
	reasons = slices.Clone(reasons)
	if err := a.permit(c, at, addressee{}, false, gates, blocked, reasons, text); err != nil {
		return err
	}
	var scratch [fold.MaxTerms]uint32
	c.Lines.add(at, fold.Terms(scratch[:0], text))
	c.addOwnTo(at, text, 0)
	c.replied(at)
	a.spoken(c, at, gates, reasons, text)
	return nil
}

// permit counts a message to to, or refuses it if a gate is closed. again means that its turn has sent one before.
func (a *Attention[K]) permit(c *chat[K], at tick.Tick, to addressee, again bool, gates []Gate, blocked Code, why []Code, text string) error {
	if blocked == "" {
		a.stats.Spoken++
		c.Said.add(at, c.settings.caps, to, again)
		return nil
	}
	return a.refuse(c, at, to, gates, blocked, why, text)
}

// refuse counts a refusal, records its trace and returns its error.
func (a *Attention[K]) refuse(c *chat[K], at tick.Tick, to addressee, gates []Gate, blocked Code, why []Code, text string) error {
	count(a.stats.Refused, blocked)
	a.record(c, at, &Trace{Kind: KindSpeak, Gates: gates, Text: excerpt(text), Why: append(why, blocked), Next: c.nextChange(at, to, blocked)})
	return c.refused(at, to, blocked)
}

// SpeakCapNotice permits one message that says that the bot may not answer now because of a cap, and counts it. why is
// the cap: [WhyCappedWindow] or [WhyCappedPerson]. A chat gets one such message within Caps.Window. It needs no turn, and
// these two caps do not count it. All other gates apply, quiet hours only with IgnoreAddressed.
func (a *Attention[K]) SpeakCapNotice(now time.Time, chat K, text string, why Code) error {
	c, at := a.enterChat(now, chat)
	defer a.leave()
	gates, blocked := a.gates[:0], c.blockedBy(at)
	if blocked == "" {
		n := within([]tick.Tick{c.Said.CapNotice}, at, c.settings.caps.Window)
		gates = c.Said.rowGates(c.settings.caps, append(gates, gateBelow(WhyCappedWindow, n, 1)))
		blocked = firstClosed(gates)
	}
	if q := c.settings.quietHours; blocked == "" && q.at(at, a.account.loc) && q.IgnoreAddressed {
		gates, blocked = append(gates, Gate{Code: WhyQuiet}), WhyQuiet
	}
	if blocked != "" {
		return a.refuse(c, at, addressee{}, gates, blocked, []Code{why}, text)
	}
	a.stats.Spoken++
	c.Said.CapNotice = at
	c.Said.count(at)
	a.spoken(c, at, gates, []Code{why}, text)
	return nil
}

// spoken records a trace of a permitted message.
func (a *Attention[K]) spoken(c *chat[K], at tick.Tick, gates []Gate, why []Code, text string) {
	a.record(c, at, &Trace{Kind: KindSpeak, Gates: gates, Text: excerpt(text), Do: Speak, Why: why, Next: c.nextChange(at, addressee{}, "")})
	a.updateState(c, at, whySpoke)
	c.asks(at, text, why == nil)
	c.silence.schedule(a, at)
}

// blockedBy returns why the turn may not speak at t; empty: it may speak.
func (t *turn) blockedBy(at tick.Tick, maxAge time.Duration) Code {
	switch {
	case !t.Open:
		return WhyNotJudged
	case t.Recalled:
		return WhyRetracted
	case t.At.Add(maxAge) < at:
		return WhyStale
	}
	return ""
}

// gate returns the age of the verdict in seconds as a gate.
func (t *turn) gate(at tick.Tick, maxAge time.Duration, blocked Code) Gate {
	if blocked == WhyNotJudged || blocked == WhyRetracted {
		return Gate{Code: blocked}
	}
	return Gate{Code: WhyStale, Value: time.Duration(at - t.At).Seconds(), Threshold: maxAge.Seconds(), Pass: blocked == ""}
}

// SkipTurn ends a turn without a reply. why is [WhyModelSilent], [WhyModelError], [WhyAlreadySpoke] or a code of the
// caller. After [WhySuperseded], [WhyModelRetry] and [WhyRetracted] the messages of the turn, without retracted ones, wait to be judged
// again. This does not apply to a turn that has already spoken.
func (a *Attention[K]) SkipTurn(now time.Time, chat K, why Code) {
	c, at := a.enterChat(now, chat)
	defer a.leave()
	count(a.stats.Skipped, why)
	if (why == WhySuperseded || why == WhyModelRetry || why == WhyRetracted) && !c.turn.Spoke {
		if c.turn.Batch.Count > 0 {
			c.Again = c.turn.Again + 1
		}
		c.waiting.prepend(c.turn.Batch)
		c.turn.Batch = batch{}
	}
	c.close(at)
	a.record(c, at, &Trace{Kind: KindSkip, Why: []Code{why}, Next: c.nextChange(at, addressee{}, "")})
	a.updateState(c, at, []Code{why})
}

// excerpt returns a copy of the beginning of text.
func excerpt(text string) string {
	return strings.ToValidUTF8(strings.Clone(clip.Ellipsis(text, 60)), "")
}
