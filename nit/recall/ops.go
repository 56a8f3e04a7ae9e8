package recall

import (
	"context"
	"errors"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/hearth-bot/hearth/internal/clip"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/when"
	"github.com/hearth-bot/hearth/nit"
)

type opsIn struct {
	Query string `json:"query,omitempty" jsonschema:"想找什么；留空就是最近的"`
	Since string `json:"since,omitempty" jsonschema:"从什么时候起：2026-04-10、2026-04-10T09:00、3d（三天前）或 昨天"`
	Until string `json:"until,omitempty" jsonschema:"到什么时候为止，写法同 since"`
	Limit int    `json:"limit,omitempty" jsonschema:"最多几条"`

	IDs []string `json:"ids,omitempty" jsonschema:"要打开的记忆 id；写了就只看这几条，不用写别的"`
}

func (k *toolkit) ops() (nit.Tool, error) {
	return nit.Define("memory_ops", nit.L2, "检索和主人的对话、摘要，以及记下的事，连同 id 和出处。", k.search,
		k.describedForModes("回想这个会话里以前说过的话和摘要。别的会话里的事，这里找不到。",
			nit.ReadOnly(), nit.EditSchema(func(s *jsonschema.Schema) {
				setBounds(s)
				few, one, ref := maxOpened, 1, maxRefID
				s.Properties["ids"].MaxItems = &few
				s.Properties["ids"].Items.MinLength, s.Properties["ids"].Items.MaxLength = &one, &ref
			}))...)
}

// search searches the memories that the turn may read.
func (k *toolkit) search(ctx context.Context, in opsIn) (searchResult, error) {
	now := k.now()
	unread := false
	span := func(text string) (s when.Span) {
		if text != "" {
			var ok bool
			s, ok = parseTime(text, now)
			unread = unread || !ok
		}
		return s
	}
	q := memory.Query{Text: in.Query, Since: span(in.Since).Since, Until: span(in.Until).Until, Limit: limitOrDefault(in.Limit)}
	if unread {
		return searchResult{}, nit.ModelError("since 和 until 写 2026-04-10、2026-04-10T09:00、3d（三天前）或 昨天")
	}
	p, _ := nit.PrincipalFrom(ctx)
	r, spaces := k.readerFor(p)
	if len(in.IDs) > 0 {
		return k.open(ctx, p, r, in.IDs)
	}
	hits, err := r.Recall(ctx, now, q)
	if err != nil {
		return searchResult{}, err
	}
	a, l := searchResult{}, memory.Trusted()
	if p.Mode != nit.ModeAgent && len(spaces) > 0 {
		a.About = untrustedNote
	}
	if len(spaces) > 0 {
		summary, err := k.summary(ctx, spaces[0], q.Since, q.Until)
		if err != nil {
			return searchResult{}, err
		}
		if summary.Text != "" && (p.Mode == nit.ModeAgent || k.m.EffectiveLabel(summary.Label).ReadableFrom(spaces...)) {
			a.Summary, l = clip.Ellipsis(summary.Text, maxSummary), summary.Label
		}
	}
	if isOwnerTurn(p) {
		k.applyPlaceholders(ctx, hits)
		k.reportRead(ctx, hits, l)
	}
	a.add(hits, k.o.Location, false)
	return a, nil
}

// open returns memories by id.
func (k *toolkit) open(ctx context.Context, p nit.Principal, r *memory.Reader, ids []string) (a searchResult, err error) {
	hits, err := r.Get(ctx, ids...)
	if err != nil {
		return searchResult{}, err
	}
	if isOwnerTurn(p) {
		k.reportRead(ctx, hits, memory.Trusted())
	}
	if p.Mode != nit.ModeAgent || !k.labelOf(hits, memory.Trusted()).IsTrusted() {
		a.About = untrustedNote
	}
	room := (maxResultChars/max(1, len(hits)) - 300) / 2 // half, because JSON escapes take two characters
	a.addUpTo(max(maxItemText, room), hits, k.o.Location, false)
	return a, nil
}

// summary returns the rolling summary of a space if it was made within the given time.
func (k *toolkit) summary(ctx context.Context, s memory.Space, since, until time.Time) (memory.RollingSummary, error) {
	d, err := k.m.Summary(ctx, s)
	if errors.Is(err, memory.ErrNoState) {
		return memory.RollingSummary{}, nil
	}
	if err != nil || !since.IsZero() && d.At.Before(since) || !until.IsZero() && !d.At.Before(until) {
		return memory.RollingSummary{}, err
	}
	return d, nil
}
