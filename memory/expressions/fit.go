package expressions

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// minWeight is the weight below which an expression is not offered.
const minWeight = .3

// Fit returns the n expressions that fit a talk best: those that were used in it, and the sayings for the situation that its last
// messages make.
func Fit(now time.Time, all []Expression, talk []string, n int) []Expression {
	folded := make([]string, len(talk))
	var current Situation
	for i, text := range talk {
		folded[i] = foldText(text)
		if s := situationOfFolded(folded[i]); s != "" {
			current = s
		}
	}
	type scored struct {
		*Expression
		score float64
	}
	var fit []scored
	for i := range all {
		e := &all[i]
		w := e.Weight(now)
		if !e.Offered() || w < minWeight {
			continue
		}
		switch {
		case slices.ContainsFunc(folded, func(text string) bool { return Contains(text, e.Form) }):
			fit = append(fit, scored{e, 1 + w})
		case e.Kind == Saying && e.Situation != "" && e.Situation == current:
			fit = append(fit, scored{e, w})
		}
	}
	slices.SortStableFunc(fit, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	out := make([]Expression, 0, n)
	for _, s := range fit[:min(n, len(fit))] {
		out = append(out, *s.Expression)
	}
	return out
}

// Contains reports whether a text contains a form. A Latin word is not found within another.
func Contains(text, form string) bool {
	text = strings.ToLower(text)
	for from := 0; ; {
		i := strings.Index(text[from:], form)
		if i < 0 {
			return false
		}
		i += from
		if !wordByte(text, i-1) || !wordByte(form, 0) {
			if end := i + len(form); !wordByte(text, end) || !wordByte(form, len(form)-1) {
				return true
			}
		}
		from = i + 1
	}
}

func wordByte(s string, i int) bool {
	return i >= 0 && i < len(s) && (s[i] >= 'a' && s[i] <= 'z' || s[i] >= '0' && s[i] <= '9')
}
