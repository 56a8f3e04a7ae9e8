package days

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/internal/clip"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/persona/social/internal/engine"
)

// An OwnerActivity is documented in package social.
type OwnerActivity struct {
	App, Title, Address string
	From, To            time.Time
}

const (
	activityGap   = 10 * time.Minute // after such a break the same app is told apart
	activityShown = 40               // stretches
	titlesShown   = 5                // of a stretch
)

// activity tells a turn what the owner has been doing since a time: apps and times, and, to a turn that may be shown what
// others wrote, titles and addresses, which it reads then.
func (d *Days) activity(ctx context.Context, t *engine.Turn, since time.Time) (string, error) {
	ctx, stop := context.WithTimeout(ctx, d.call.Timeout)
	defer stop()
	all, err := d.o.RecentActivity(ctx, since)
	if err != nil || len(all) == 0 {
		return "", err
	}
	label := d.engine.Options.Labels.LabelOf(engine.DatumActivity, memory.Untrusted(memory.Owner))
	written := slices.ContainsFunc(all, func(a OwnerActivity) bool { return a.Title != "" || a.Address != "" })
	if !written {
		return stretches(all, d.o.Tasks.Location), nil
	}
	if t.MayRead(engine.DatumActivity, label) {
		t.Read(label)
		return stretches(all, d.o.Tasks.Location), nil
	}
	apps := make([]OwnerActivity, 0, len(all))
	for _, a := range all {
		if a.Title, a.Address = "", ""; a.App != "" {
			apps = append(apps, a)
		}
	}
	return stretches(apps, d.o.Tasks.Location) + "（窗口标题和网址是别人写的，没有打开）", nil
}

// A stretch is a time in one app.
type stretch struct {
	OwnerActivity
	spent  time.Duration
	titles []string
}

// stretches tells what was done, a line for each stretch. Where there are too many, the shortest are left out.
func stretches(all []OwnerActivity, at *time.Location) string {
	all = slices.SortedStableFunc(slices.Values(all), func(a, b OwnerActivity) int { return a.From.Compare(b.From) })
	var list []*stretch
	for _, a := range all {
		var of *stretch
		if n := len(list); n > 0 && list[n-1].App == a.App && a.From.Sub(list[n-1].To) <= activityGap {
			of = list[n-1]
		} else {
			of = &stretch{OwnerActivity: a}
			list = append(list, of)
		}
		of.spent += max(0, a.To.Sub(a.From))
		if a.To.After(of.To) {
			of.To = a.To
		}
		if title := a.words(); title != "" && !slices.Contains(of.titles, title) {
			of.titles = append(of.titles, title)
		}
	}
	shortest := slices.SortedStableFunc(slices.Values(list), func(a, b *stretch) int { return cmp.Compare(a.spent, b.spent) })
	gone := shortest[:max(0, len(list)-activityShown)]
	var text strings.Builder
	for _, of := range list {
		if slices.Contains(gone, of) {
			continue
		}
		what := strings.Join(of.titles[:min(titlesShown, len(of.titles))], "")
		if of.App != "" && what != "" {
			what = "：" + what
		}
		fmt.Fprintf(&text, "- %s–%s %s\n", of.From.In(at).Format("01-02 15:04"), of.To.In(at).Format("15:04"), oneLine(of.App, 40)+what)
	}
	if len(gone) > 0 {
		fmt.Fprintf(&text, "另有 %d 项没有列出\n", len(gone))
	}
	return text.String()
}

// words are what others wrote of it.
func (a OwnerActivity) words() (text string) {
	if a.Title != "" {
		text = "「" + oneLine(a.Title, 60) + "」"
	}
	if a.Address != "" {
		text += "（" + oneLine(a.Address, 60) + "）"
	}
	return text
}

func oneLine(text string, most int) string {
	return clip.Ellipsis(strings.Join(strings.Fields(text), " "), most)
}
