package autonomy

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
	activityGap = 10 * time.Minute // a longer break in the same app starts a new period
	maxPeriods  = 40               // shown to a turn
	maxTitles   = 5                // of one period
)

// activity describes the owner's activity since a time: apps and times, one period a line. If the turn may read text of
// others, titles and addresses are included and the turn is marked as having read them.
func (a *Autonomy) activity(ctx context.Context, t *engine.Turn, since time.Time) (string, error) {
	ctx, stop := context.WithTimeout(ctx, a.call.Timeout)
	defer stop()
	all, err := a.o.RecentActivity(ctx, since)
	if err != nil || len(all) == 0 {
		return "", err
	}
	label := a.engine.Options.Labels.LabelOf(engine.DatumActivity, memory.Untrusted(memory.Owner))
	written := slices.ContainsFunc(all, func(act OwnerActivity) bool { return act.Title != "" || act.Address != "" })
	if !written {
		return periodLines(all, a.o.Tasks.Location), nil
	}
	if t.MayRead(engine.DatumActivity, label) {
		t.MarkRead(label)
		return periodLines(all, a.o.Tasks.Location), nil
	}
	apps := make([]OwnerActivity, 0, len(all))
	for _, act := range all {
		if act.Title, act.Address = "", ""; act.App != "" {
			apps = append(apps, act)
		}
	}
	return periodLines(apps, a.o.Tasks.Location) + "（窗口标题和网址是别人写的，没有打开）", nil
}

// A period is a time of continuous use of one app.
type period struct {
	OwnerActivity
	spent  time.Duration
	titles []string
}

// periodLines formats activity, one line a period. Above maxPeriods the shortest periods are left out.
func periodLines(all []OwnerActivity, at *time.Location) string {
	all = slices.SortedStableFunc(slices.Values(all), func(act, b OwnerActivity) int { return act.From.Compare(b.From) })
	var list []*period
	for _, act := range all {
		var cur *period
		if n := len(list); n > 0 && list[n-1].App == act.App && act.From.Sub(list[n-1].To) <= activityGap {
			cur = list[n-1]
		} else {
			cur = &period{OwnerActivity: act}
			list = append(list, cur)
		}
		cur.spent += max(0, act.To.Sub(act.From))
		if act.To.After(cur.To) {
			cur.To = act.To
		}
		if title := act.details(); title != "" && !slices.Contains(cur.titles, title) {
			cur.titles = append(cur.titles, title)
		}
	}
	shortest := slices.SortedStableFunc(slices.Values(list), func(a, b *period) int { return cmp.Compare(a.spent, b.spent) })
	dropped := shortest[:max(0, len(list)-maxPeriods)]
	var text strings.Builder
	for _, cur := range list {
		if slices.Contains(dropped, cur) {
			continue
		}
		titles := strings.Join(cur.titles[:min(maxTitles, len(cur.titles))], "")
		if cur.App != "" && titles != "" {
			titles = "：" + titles
		}
		fmt.Fprintf(&text, "- %s–%s %s\n", cur.From.In(at).Format("01-02 15:04"), cur.To.In(at).Format("15:04"), oneLine(cur.App, 40)+titles)
	}
	if len(dropped) > 0 {
		fmt.Fprintf(&text, "另有 %d 项没有列出\n", len(dropped))
	}
	return text.String()
}

// details formats the title and the address. Both were written by others.
func (act OwnerActivity) details() (text string) {
	if act.Title != "" {
		text = "「" + oneLine(act.Title, 60) + "」"
	}
	if act.Address != "" {
		text += "（" + oneLine(act.Address, 60) + "）"
	}
	return text
}

func oneLine(text string, most int) string {
	return clip.Ellipsis(strings.Join(strings.Fields(text), " "), most)
}
