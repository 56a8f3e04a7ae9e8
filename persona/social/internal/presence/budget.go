package presence

import (
	"context"
	"encoding/json"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/social/internal/engine"
	"github.com/hearth-bot/hearth/persona/social/internal/health"
)

// noticesRow is the key of the row with the notices of the last day.
const noticesRow = "budget/notices"

// A budgetWatch notifies the owner when the totals of the budget reach a level, once per level and hour, or day for a
// limit of the day.
type budgetWatch struct {
	engine *engine.Engine
	state  persona.State
	spent  chan struct{} // signals a model call
	told   []notice      // notices whose hour or day has not ended
}

// A notice is a sent notice about a level of the budget.
type notice struct {
	Level heartflow.Level `json:"level"`
	Daily bool            `json:"daily"`
	At    time.Time       `json:"at"`
}

// Budget returns the part that notifies the owner about the budget.
func Budget(e *engine.Engine) engine.Part {
	w := &budgetWatch{engine: e, state: e.Options.Store, spent: make(chan struct{}, 1)}
	return engine.Part{Restore: w.restore, Run: w.run, Spent: w.signal}
}

func (w *budgetWatch) signal() {
	select {
	case w.spent <- struct{}{}:
	default:
	}
}

func (w *budgetWatch) restore(ctx context.Context) error {
	rows, err := w.state.Load(ctx, noticesRow)
	if row, ok := rows[noticesRow]; ok && json.Unmarshal(row, &w.told) != nil {
		w.engine.Log.Error("the notices about the budget are unreadable; they may be repeated")
	}
	return err
}

func (w *budgetWatch) run(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-w.spent:
			now := time.Now()
			if s := w.engine.Options.Attention.Budget.State(now); w.add(now, s) {
				w.notify(ctx, s)
			}
		}
	}
}

// add reports whether the owner does not know of a level yet. A notice holds for lower levels, too, and one about the
// day also for the hour.
func (w *budgetWatch) add(now time.Time, s heartflow.BudgetState) (news bool) {
	if s.Level == heartflow.LevelFull {
		return false
	}
	var current []notice
	for _, n := range w.told {
		lasts := time.Hour
		if n.Daily {
			lasts = 24 * time.Hour
		}
		if now.Before(n.At.Add(lasts)) {
			current = append(current, n)
		}
	}
	w.told = current
	for _, n := range current {
		if n.Level >= s.Level && (n.Daily || !s.Daily) {
			return false
		}
	}
	w.told = append(w.told, notice{Level: s.Level, Daily: s.Daily, At: now.Round(0)})
	return true
}

// notify stores the notice first, so that a crash does not repeat it.
func (w *budgetWatch) notify(ctx context.Context, s heartflow.BudgetState) {
	row, err := json.Marshal(w.told)
	if err == nil {
		err = w.state.Apply(ctx, map[string][]byte{noticesRow: row})
	}
	if err != nil {
		w.engine.Log.Error("could not store a notice about the budget", "err", err)
	}
	w.engine.NotifyOwner(ctx, engine.Notice{Text: budgetText(time.Now(), s, w.engine.Options.Location)})
}

// budgetText is the notice about a level.
func budgetText(now time.Time, s heartflow.BudgetState, at *time.Location) string {
	return health.Writer{Now: now, Location: at}.Budget(s) + "；想放宽，就调大 -budget。"
}
