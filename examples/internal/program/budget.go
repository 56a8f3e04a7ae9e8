package program

import (
	"cmp"
	"flag"
	"math"
	"strconv"
	"strings"

	"github.com/hearth-bot/hearth/examples/internal/lang"
	"github.com/hearth-bot/hearth/heartflow"
)

// A Budget is the flag -budget: the tokens of an hour and of a day. The zero value is the default of heartflow.
type Budget struct{ text string }

// budgetLimits are limits in tokens. 0 means the default, negative means no limit.
type budgetLimits struct{ hour, day int }

// Flags defines the flag.
func (b *Budget) Flags(f *flag.FlagSet) {
	f.StringVar(&b.text, "budget", "0", "most `tokens` of the model an hour and a day: 500k/5M, or 500k for an hour alone; 0: the default, 12M/96M; off: no limit")
}

// Check validates the flag.
func (b *Budget) Check() error {
	_, err := b.parse()
	return err
}

// parse parses "500k/5M", "500k", "0" or "off".
func (b *Budget) parse() (parsed budgetLimits, err error) {
	text := cmp.Or(b.text, "0")
	hour, day, both := strings.Cut(text, "/")
	if !both {
		day = hour
	}
	if parsed.hour, err = tokens(hour); err != nil {
		return budgetLimits{}, err
	}
	if parsed.day, err = tokens(day); err != nil {
		return budgetLimits{}, err
	}
	if !both && parsed.hour > 0 {
		parsed.day = 10 * parsed.hour
	}
	if both && parsed.hour > 0 && parsed.day > 0 && parsed.day < parsed.hour {
		return budgetLimits{}, lang.Errorf("-budget %q 一天比一小时还少：写「一小时/一天」，例如 500k/5M", "-budget %q allows less in a day than in an hour: write hour/day", text)
	}
	return parsed, nil
}

// tokens parses a number with an optional k or M. off is −1.
func tokens(text string) (int, error) {
	text = strings.TrimSpace(text)
	if strings.EqualFold(text, "off") {
		return -1, nil
	}
	unit := 1.
	number := text
	switch {
	case strings.HasSuffix(text, "k"), strings.HasSuffix(text, "K"):
		unit, number = 1e3, text[:len(text)-1]
	case strings.HasSuffix(text, "m"), strings.HasSuffix(text, "M"):
		unit, number = 1e6, text[:len(text)-1]
	}
	n, err := strconv.ParseFloat(number, 64)
	if err != nil || !(n >= 0 && n*unit <= 1e15) {
		return 0, lang.Errorf("-budget：%q 不是 token 数：写 500k、2M、0 或者 off", "-budget: %q is no number of tokens: write 500k, 2M, 0 or off", text)
	}
	if n > 0 && n*unit < 1 {
		return 0, lang.Errorf("-budget：%q 不到一个 token", "-budget: %q is less than a token", text)
	}
	return int(n * unit), nil
}

// New returns the budget. speed multiplies the limits, for a program whose clock runs faster.
func (b *Budget) New(speed float64) (*heartflow.Budget, error) {
	limits, err := b.parse()
	if err != nil {
		return nil, err
	}
	o := heartflow.BudgetOptions{HourTokens: cmp.Or(limits.hour, heartflow.DefaultHourTokens), DayTokens: cmp.Or(limits.day, heartflow.DefaultDayTokens)}
	for _, n := range []*int{&o.HourTokens, &o.DayTokens} {
		if *n > 0 {
			*n = max(1, int(min(float64(*n)*speed, math.MaxInt/2)))
		}
	}
	return heartflow.NewBudget(o)
}
