package heartflow

import (
	"errors"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/heartflow/internal/tick"
	"github.com/hearth-bot/hearth/internal/clip"
	"github.com/hearth-bot/hearth/internal/fold"
)

// What the error of [Attention.Speak] matches.
var (
	ErrCapped     = errors.New("heartflow: a cap is reached")
	ErrStale      = errors.New("heartflow: no fresh verdict permits it")
	ErrMuted      = errors.New("heartflow: closed for sending")
	ErrOffline    = errors.New("heartflow: offline")
	ErrRepeated   = errors.New("heartflow: it has just said the same")
	ErrQuietHours = errors.New("heartflow: it is a quiet hour")
)

// RefusedError is the error of [Attention.Speak]. errors.Is tells which of ErrCapped, ErrStale, ErrMuted (also for a chat
// that is off), ErrOffline, ErrRepeated and ErrQuiet it is.
type RefusedError struct {
	Code  Code      // the gate that is closed
	Until time.Time // when it opens by itself; zero: it does not, or not at a known time
}

// Error names the gate.
func (r *RefusedError) Error() string {
	s := "heartflow: refused to speak: " + string(r.Code)
	if !r.Until.IsZero() {
		s += " until " + r.Until.Format(time.RFC3339)
	}
	return s
}

// Is matches the sentinel of r's gate.
func (r *RefusedError) Is(target error) bool {
	switch r.Code {
	case WhyCappedWindow, WhyCappedInRow, WhyCappedBots:
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

// Speak permits one message and counts it, in one step; nil means it must be sent now. Ask it last, after every wait:
// for a limiter, for a typing pace. A reply that is sent in several pieces at once is one message.
//
// It is refused, with a [*RefusedError], where a gate of [Attention.Judge] other than the budget is closed by now; as stale
// where the chat has no open turn, its verdict is older than MaxAge, or all that called was recalled since; and where
// it is not right any more by [Staleness]: the talk has gone on, somebody else has answered whom it would answer, or it was
// said already. A turn may speak more than once.
func (a *Attention[K]) Speak(now time.Time, chat K, text string) error {
	c, at := a.enterChat(now, chat)
	defer a.leave()
	var space [8]Gate
	gates, shut := c.gates(at, space[:0])
	if shut == "" {
		shut = c.turn.shut(at, a.o.MaxAge)
		if g := c.turn.gate(at, a.o.MaxAge, shut); shut != "" || g.Value > 0 {
			gates = append(gates, g)
		}
	}
	if q := c.tuning.quiet; shut == "" && q.at(at, a.account.loc) && !c.turn.Begun && (q.IgnoreAddressed || !c.turn.Called) {
		shut = WhyQuiet
		gates = append(gates, Gate{Code: shut})
	}
	var scratch [fold.MaxTerms]uint32
	words := fold.Terms(scratch[:0], text)
	if shut == "" {
		gates, shut = c.recheck(at, words, gates)
	}
	if err := a.permit(c, at, gates, shut, nil, text); err != nil {
		return err
	}
	c.remember(words)
	c.Lines.add(at, words)
	if b := &c.turn.Batch; len(b.Heard) > 0 {
		c.lookSaid(at, text, b.answers().look)
	} else {
		c.lookSaid(at, text, 0)
	}
	if !c.turn.Spoke { // several messages of one turn are one reply
		c.replied(at)
	}
	c.turn.Spoke = true
	a.account.release(&c.turn.Batch)
	if !c.calling(at) {
		c.Summoned = 0
	}
	a.spoken(c, at, gates, nil, text)
	return nil
}

// SpeakUnprompted is Speak for a message that answers nothing: an order of the owner that has nothing to do with what is
// being thought in the chat. The same gates are tested and it counts the same, but it needs no turn, and leaves the one
// that is open as it is. why goes into the trace.
func (a *Attention[K]) SpeakUnprompted(now time.Time, chat K, text string, why Code) error {
	c, at := a.enterChat(now, chat)
	defer a.leave()
	var space [8]Gate
	gates, shut := c.gates(at, space[:0])
	reason := []Code{why}
	if err := a.permit(c, at, gates, shut, reason, text); err != nil {
		return err
	}
	var scratch [fold.MaxTerms]uint32
	c.Lines.add(at, fold.Terms(scratch[:0], text))
	c.lookSaid(at, text, 0)
	c.replied(at)
	a.spoken(c, at, gates, reason, text)
	return nil
}

// permit counts a message, or refuses it where a gate is shut, and leaves a trace of that.
func (a *Attention[K]) permit(c *chat[K], at tick.Tick, gates []Gate, shut Code, why []Code, text string) error {
	if shut == "" {
		a.stats.Spoken++
		c.Said.count(at, c.tuning.caps)
		return nil
	}
	count(a.stats.Refused, shut)
	a.record(c, at, &Trace{Kind: KindSpeak, Gates: gates, Text: excerpt(text), Why: append(why, shut), Next: c.next(at, shut)})
	return c.refused(at, shut)
}

// spoken leaves a trace of a message that was permitted.
func (a *Attention[K]) spoken(c *chat[K], at tick.Tick, gates []Gate, why []Code, text string) {
	a.record(c, at, &Trace{Kind: KindSpeak, Gates: gates, Text: excerpt(text), Do: Speak, Why: why, Next: c.next(at, "")})
	a.reconsider(c, at, []Code{WhySpoke})
}

// shut says why a turn may not speak at t; empty: it may.
func (t *turn) shut(at tick.Tick, maxAge time.Duration) Code {
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

// gate is the age of the verdict, in seconds, against the most it may have.
func (t *turn) gate(at tick.Tick, maxAge time.Duration, shut Code) Gate {
	if shut == WhyNotJudged || shut == WhyRetracted {
		return Gate{Code: shut}
	}
	return Gate{Code: WhyStale, Value: time.Duration(at - t.At).Seconds(), Threshold: maxAge.Seconds(), Pass: shut == ""}
}

// SkipTurn tells that the turn ended without words, and why: [WhyModelSilent], [WhyModelError], [WhyAlreadySpoke], or a
// reason of the caller's own. After [WhySuperseded] and [WhyRetracted] what was judged, less what was taken back, counts
// as not judged, as if it had been given back to the front of the buffer, unless the turn has spoken already.
func (a *Attention[K]) SkipTurn(now time.Time, chat K, why Code) {
	c, at := a.enterChat(now, chat)
	defer a.leave()
	count(a.stats.Skipped, why)
	if (why == WhySuperseded || why == WhyRetracted) && !c.turn.Spoke {
		if c.turn.Batch.Count > 0 {
			c.Again = c.turn.Again + 1
		}
		c.waiting.prepend(c.turn.Batch)
		c.turn.Batch = batch{}
	}
	c.close(at)
	a.record(c, at, &Trace{Kind: KindSkip, Why: []Code{why}, Next: c.next(at, "")})
	a.reconsider(c, at, []Code{why})
}

// excerpt is the beginning of text, in memory of its own.
func excerpt(text string) string {
	return strings.ToValidUTF8(strings.Clone(clip.Ellipsis(text, 60)), "")
}
