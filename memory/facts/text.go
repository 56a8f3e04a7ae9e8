package facts

import (
	"fmt"
	"strings"
	"time"
)

// Text returns a fact as a Chinese line for a prompt, without its subject: "工作 = 程序员（3月5日起，本人说）". nameOf returns the
// name of an account; "" shows the account. Years other than that of now are shown.
func (f *Fact) Text(now time.Time, loc *time.Location, nameOf func(string) string) string {
	var b strings.Builder
	name := string(f.Relation)
	if i := f.Relation.rank(); i < len(relations) {
		name = relations[i].name
	}
	fmt.Fprintf(&b, "%s = %s（", name, f.Value)
	b.WriteString(day(f.From, now, loc))
	if f.Until.IsZero() {
		b.WriteString("起，")
	} else {
		b.WriteString("到" + day(f.Until, now, loc) + "，")
	}
	if f.Own() {
		b.WriteString("本人说")
	} else {
		speaker := nameOf(f.Speaker)
		if speaker == "" {
			speaker = f.Speaker
		}
		b.WriteString(speaker + "说")
	}
	if f.Disputed {
		b.WriteString("，说法不一")
	}
	b.WriteString("）")
	return b.String()
}

func day(t, now time.Time, loc *time.Location) string {
	t, now = t.In(loc), now.In(loc)
	if t.Year() != now.Year() {
		return fmt.Sprintf("%d年%d月%d日", t.Year(), t.Month(), t.Day())
	}
	return fmt.Sprintf("%d月%d日", t.Month(), t.Day())
}
