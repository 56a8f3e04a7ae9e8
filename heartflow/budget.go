package heartflow

import (
	"fmt"
	"sync"
	"time"

	"github.com/hearth-bot/hearth/heartflow/internal/fill"
	"github.com/hearth-bot/hearth/heartflow/internal/tick"
)

// BudgetOptions say how much of the models may be used. A negative number means no limit.
type BudgetOptions struct {
	HourTokens int // of all chats together; 0 means 200 000
	DayTokens  int // 0 means 2 000 000
	HourCalls  int // 0 means no limit
	DayCalls   int // 0 means no limit

	PerChat Limits // of each chat; zero: none

	// The shares of a limit from which on less is asked: see Level.
	NoJudgeFrom      float64 // 0 means .7, at most 1
	MentionsOnlyFrom float64 // 0 means .9, at most 1, and not below NoJudge
}

// Validate returns an error that names the field that is wrong and its allowed values.
func (o BudgetOptions) Validate() error {
	o = o.withDefaults()
	switch {
	case !(o.NoJudgeFrom > 0 && o.NoJudgeFrom <= 1):
		return fmt.Errorf("heartflow: BudgetOptions.NoJudge is %v: it must be above 0, and at most 1", o.NoJudgeFrom)
	case !(o.MentionsOnlyFrom > 0 && o.MentionsOnlyFrom <= 1):
		return fmt.Errorf("heartflow: BudgetOptions.MentionsOnly is %v: it must be above 0, and at most 1", o.MentionsOnlyFrom)
	case o.MentionsOnlyFrom < o.NoJudgeFrom:
		return fmt.Errorf("heartflow: BudgetOptions.MentionsOnly is %v: it must not be below NoJudge, %v", o.MentionsOnlyFrom, o.NoJudgeFrom)
	}
	return nil
}

func (o BudgetOptions) withDefaults() BudgetOptions {
	return fill.Zero(o, BudgetOptions{HourTokens: 200_000, DayTokens: 2_000_000, NoJudgeFrom: .7, MentionsOnlyFrom: .9})
}

// A Budget counts model calls and tokens, of each chat and of all together, over a sliding hour and a sliding day, both
// in steps of a whole minute: what was spent in a minute leaves an hour (a day) after that minute has ended, so no 60
// minutes see more than the limit once spending stops at it. It is spent after the fact, by whoever meters the models;
// [Attention.Judge] asks less of models the more is spent, by [Level], and nothing when nothing is left. So it may be
// overdrawn by the calls that were under way.
//
// One Budget may be shared by several Attentions; chats go by their names, as fmt.Sprint writes the key. It takes about
// 24 bytes for each minute and chat in which a model was called within the last day. All methods may be called
// concurrently. A step back of the clock counts as the latest time seen.
type Budget struct {
	o   BudgetOptions
	all Limits

	mu     sync.Mutex
	minute int64 // the running one, since 1970; 0: none yet
	swept  int64 // the minute in which idle chats were let go last
	total  ledger
	chats  map[string]*ledger
}

// NewBudget returns a Budget of which nothing is used, or the error of [BudgetOptions.Validate].
func NewBudget(o BudgetOptions) (*Budget, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	o = o.withDefaults()
	all := Limits{HourTokens: o.HourTokens, DayTokens: o.DayTokens, HourCalls: o.HourCalls, DayCalls: o.DayCalls}
	return &Budget{o: o, all: all, chats: map[string]*ledger{}}, nil
}

// AddTokens counts tokens that were used, of no call and no chat. Zero or less is no spending.
func (b *Budget) AddTokens(now time.Time, tokens int) {
	if tokens > 0 {
		b.spend(now, "", 0, tokens)
	}
}

// AddCall counts a model call and its tokens, also one that failed. The chat that it was made for is named as fmt.Sprint
// writes its key; empty: it was made for none.
func (b *Budget) AddCall(now time.Time, chat string, tokens int) {
	b.spend(now, chat, 1, max(tokens, 0))
}

func (b *Budget) spend(now time.Time, chat string, calls, tokens int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.advance(now)
	b.total.add(b.minute, calls, tokens)
	if chat == "" {
		return
	}
	l := b.chats[chat]
	if l == nil {
		l = &ledger{}
		b.chats[chat] = l
	}
	l.advance(b.minute)
	l.add(b.minute, calls, tokens)
}

// Forget lets go of what chat has used, as if it had used nothing; the figures of all chats together stay.
func (b *Budget) Forget(chat string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.chats, chat)
}

// TokensLeft returns how many tokens are left of the hour or the day of all chats, whichever has less; 0 when nothing is, and
// [math.MaxInt] when there is no limit.
func (b *Budget) TokensLeft(now time.Time) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.advance(now)
	return b.total.left(Limits{HourTokens: b.o.HourTokens, DayTokens: b.o.DayTokens})
}

// Level returns how far the models may be used for a chat at now, by BudgetOptions.Chat ([Attention.Level] heeds its
// Settings, too); for what belongs to no chat where chat is empty.
func (b *Budget) Level(now time.Time, chat string) Level {
	return b.standing(now, chat, b.o.PerChat).level
}

// Level returns how far the models may be used for chat at now, by the Budget and the chat's own Limits; LevelFull where
// there is no Budget. Who asks a model about a chat on its own account asks here first.
func (a *Attention[K]) Level(now time.Time, chat K) Level {
	b := a.o.Budget
	if b == nil {
		return LevelFull
	}
	a.mu.Lock()
	limits := a.tuning(chat).limitsOf(b)
	a.mu.Unlock()
	return b.standing(now, fmt.Sprint(chat), limits).level
}

// Usage returns what chat has used; all chats together where it is empty.
func (b *Budget) Usage(now time.Time, chat string) Usage {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.advance(now)
	if chat == "" {
		return b.total.sums
	}
	if l := b.chats[chat]; l != nil {
		l.advance(b.minute)
		return l.sums
	}
	return Usage{}
}

func (b *Budget) standing(now time.Time, chat string, own Limits) standing {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.advance(now)
	s := standing{share: b.total.share(b.all), left: b.total.left(b.all)}
	if l := b.chats[chat]; l != nil {
		l.advance(b.minute)
		s.share, s.left = max(s.share, l.share(own)), min(s.left, l.left(own))
	}
	switch {
	case s.share >= 1:
		s.level, s.from, s.left = LevelOff, 1, 0
	case s.share >= b.o.MentionsOnlyFrom:
		s.level, s.from = LevelMentionsOnly, b.o.MentionsOnlyFrom
	case s.share >= b.o.NoJudgeFrom:
		s.level, s.from = LevelNoJudge, b.o.NoJudgeFrom
	}
	return s
}

// advance moves to the minute of now, and once an hour lets go of the chats that have used nothing for a day.
func (b *Budget) advance(now time.Time) {
	b.minute = max(b.minute, int64(tick.Of(now))/int64(time.Minute))
	b.total.advance(b.minute)
	if b.minute-b.swept >= 60 {
		b.swept = b.minute
		for name, l := range b.chats {
			if l.advance(b.minute); l.empty() {
				delete(b.chats, name)
			}
		}
	}
}
