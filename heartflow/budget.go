package heartflow

import (
	"cmp"
	"fmt"
	"sync"
	"time"

	"github.com/hearth-bot/hearth/heartflow/internal/fill"
	"github.com/hearth-bot/hearth/heartflow/internal/tick"
)

// The default limits of a [Budget].
const (
	DefaultHourTokens = 12_000_000
	DefaultDayTokens  = 96_000_000
)

// BudgetOptions limit the use of models. A negative number means no limit.
type BudgetOptions struct {
	HourTokens int // for all chats together; 0 means DefaultHourTokens; docs/BUDGET.md says what that costs
	DayTokens  int // 0 means DefaultDayTokens
	HourCalls  int // 0 means no limit
	DayCalls   int // 0 means no limit

	PerChat Limits // for each chat; the zero value means no limit

	// Used shares of a limit at which a Level begins.
	SavingFrom       float64 // 0 means .5, or NoJudgeFrom if that is less; at most 1; equal to NoJudgeFrom means no LevelSaving
	NoJudgeFrom      float64 // 0 means .7, at most 1, not below SavingFrom
	MentionsOnlyFrom float64 // 0 means .9, at most 1, not below NoJudgeFrom
}

// Validate returns an error that names the invalid field and its allowed values.
func (o BudgetOptions) Validate() error {
	o = o.withDefaults()
	switch {
	case !(o.NoJudgeFrom > 0 && o.NoJudgeFrom <= 1):
		return fmt.Errorf("heartflow: BudgetOptions.NoJudgeFrom is %v: it must be above 0 and at most 1", o.NoJudgeFrom)
	case !(o.SavingFrom > 0 && o.SavingFrom <= 1):
		return fmt.Errorf("heartflow: BudgetOptions.SavingFrom is %v: it must be above 0 and at most 1", o.SavingFrom)
	case !(o.MentionsOnlyFrom > 0 && o.MentionsOnlyFrom <= 1):
		return fmt.Errorf("heartflow: BudgetOptions.MentionsOnlyFrom is %v: it must be above 0 and at most 1", o.MentionsOnlyFrom)
	case o.NoJudgeFrom < o.SavingFrom:
		return fmt.Errorf("heartflow: BudgetOptions.NoJudgeFrom is %v: it must not be below SavingFrom, %v", o.NoJudgeFrom, o.SavingFrom)
	case o.MentionsOnlyFrom < o.NoJudgeFrom:
		return fmt.Errorf("heartflow: BudgetOptions.MentionsOnlyFrom is %v: it must not be below NoJudgeFrom, %v", o.MentionsOnlyFrom, o.NoJudgeFrom)
	}
	return nil
}

func (o BudgetOptions) withDefaults() BudgetOptions {
	o = fill.Zero(o, BudgetOptions{HourTokens: DefaultHourTokens, DayTokens: DefaultDayTokens, NoJudgeFrom: .7, MentionsOnlyFrom: .9})
	o.SavingFrom = cmp.Or(o.SavingFrom, min(.5, o.NoJudgeFrom))
	return o
}

// A Budget counts model calls and tokens, per chat and in total, over a sliding hour and a sliding day. Its
// resolution is one minute: usage leaves the hour or the day after its minute has ended. So no 60 minutes exceed the
// limit if callers stop at the limit.
//
// Callers report usage after each call with [Budget.AddCall] and [Budget.AddTokens]. [Attention.Judge] restricts its
// verdicts by the [Level]. Calls that are in flight at the limit may overdraw the budget.
//
// Several Attentions may share one Budget. A chat's name is its key, formatted by fmt.Sprint. A Budget takes about 24
// bytes for each minute and chat with a model call in the last day. All methods may be called concurrently. A time
// before the latest one counts as the latest one.
type Budget struct {
	o   BudgetOptions
	all Limits

	mu     sync.Mutex
	minute int64 // current minute since 1970; 0 before the first use
	swept  int64 // minute of the last removal of idle chats
	total  ledger
	chats  map[string]*ledger
}

// NewBudget returns an unused Budget. Its error is that of [BudgetOptions.Validate].
func NewBudget(o BudgetOptions) (*Budget, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	o = o.withDefaults()
	all := Limits{HourTokens: o.HourTokens, DayTokens: o.DayTokens, HourCalls: o.HourCalls, DayCalls: o.DayCalls}
	return &Budget{o: o, all: all, chats: map[string]*ledger{}}, nil
}

// Options returns the options with their defaults.
func (b *Budget) Options() BudgetOptions { return b.o }

// AddTokens counts tokens that belong to no call and no chat. It ignores zero and negative numbers.
func (b *Budget) AddTokens(now time.Time, tokens int) {
	if tokens > 0 {
		b.spend(now, "", 0, tokens)
	}
}

// AddCall counts a model call and its tokens. Report failed calls too. chat is the key formatted by fmt.Sprint, or
// empty for a call without a chat.
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

// Forget removes the usage of chat. The totals stay.
func (b *Budget) Forget(chat string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.chats, chat)
}

// TokensLeft returns the remaining tokens of the total hour or the total day, whichever has less. It returns
// [math.MaxInt] without a limit.
func (b *Budget) TokensLeft(now time.Time) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.advance(now)
	return b.total.left(Limits{HourTokens: b.o.HourTokens, DayTokens: b.o.DayTokens})
}

// Level returns the Level of chat at now, by BudgetOptions.PerChat and the totals. If chat is empty, only the totals
// count. [Attention.Level] also applies the Settings of the chat.
func (b *Budget) Level(now time.Time, chat string) Level {
	return b.standing(now, chat, b.o.PerChat).level
}

// Level returns the Level of chat at now, by the totals of the Budget and the chat's own Limits. Without a Budget it
// returns LevelFull. Check it before a model call that no verdict permits, such as a summary.
func (a *Attention[K]) Level(now time.Time, chat K) Level {
	b := a.o.Budget
	if b == nil {
		return LevelFull
	}
	a.mu.Lock()
	limits := a.settingsOf(chat).limitsOf(b)
	a.mu.Unlock()
	return b.standing(now, fmt.Sprint(chat), limits).level
}

// Usage returns the usage of chat, or the totals if chat is empty.
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
	return b.standingOf(chat, own)
}

// standingOf is standing at the current minute, under the lock.
func (b *Budget) standingOf(chat string, own Limits) standing {
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
	case s.share >= b.o.SavingFrom:
		s.level, s.from = LevelSaving, b.o.SavingFrom
	}
	return s
}

// advance moves to the minute of now. Once an hour it removes chats without usage in the last day.
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
