package social

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/internal/clip"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/social/internal/changes"
	"github.com/hearth-bot/hearth/persona/social/internal/engine"
	"github.com/hearth-bot/hearth/persona/trace"
)

// Endorse makes a record of a space trusted, or, if record is "", all data from that chat: see
// [memory.Memory.Endorse]. Running turns keep their labels. It waits until [Bot.Run] has started. Endorse,
// Declassify, Releases and RevokeRelease are for the owner only.
func (b *Bot) Endorse(ctx context.Context, s memory.Space, record string) (memory.LabelOverride, error) {
	return b.release(ctx, sourceCode, memory.Endorse, s, record)
}

// Declassify makes a record readable to readers of the spaces to, or to everybody if there are none. If record is "",
// it makes all data from that chat readable to everybody. See [memory.Memory.Declassify] and [Bot.Endorse].
func (b *Bot) Declassify(ctx context.Context, s memory.Space, record string, to ...memory.Space) (memory.LabelOverride, error) {
	return b.release(ctx, sourceCode, memory.Declassify, s, record, to...)
}

// LabelOverrides returns what the owner has endorsed and declassified, oldest first.
func (b *Bot) LabelOverrides(ctx context.Context) ([]memory.LabelOverride, error) {
	return b.engine.Memory.LabelOverrides(ctx)
}

// RevokeLabelOverride undoes an Endorse or Declassify. An unknown id returns an error that matches [memory.ErrNotFound].
func (b *Bot) RevokeLabelOverride(ctx context.Context, id string) error {
	return b.revoke(ctx, sourceCode, id)
}

// Values of the log attribute "by".
const (
	sourceCode    = "code"
	sourceCommand = "command"
)

func (b *Bot) release(ctx context.Context, by string, kind memory.LabelOverrideKind, s memory.Space, record string, to ...memory.Space) (r memory.LabelOverride, err error) {
	if err := b.engine.AwaitStart(ctx); err != nil {
		return r, err
	}
	now := time.Now()
	if kind == memory.Endorse {
		r, err = b.engine.Memory.Endorse(ctx, now, s, record)
	} else {
		r, err = b.engine.Memory.Declassify(ctx, now, s, record, to...)
	}
	if err == nil {
		b.engine.Log.Info("a label was released", "kind", r.Kind, "space", r.Space, "record", r.Record, "to", r.To, "id", r.ID, "by", by)
		b.noteLabel(ctx, by, r, false)
	}
	return r, err
}

func (b *Bot) revoke(ctx context.Context, by, id string) error {
	if err := b.engine.AwaitStart(ctx); err != nil {
		return err
	}
	all, err := b.engine.Memory.LabelOverrides(ctx)
	if err == nil {
		err = b.engine.Memory.Revoke(ctx, id)
	}
	if err == nil {
		for _, r := range all {
			if r.ID == id {
				b.noteLabel(ctx, by, r, true)
			}
		}
		b.engine.Log.Info("a release was revoked", "id", id, "by", by)
	}
	return err
}

// noteLabel stores that the labels of a chat or of a record were changed, without naming the record.
func (b *Bot) noteLabel(ctx context.Context, by string, r memory.LabelOverride, revoked bool) {
	var chat persona.Chat
	_ = chat.UnmarshalText([]byte(r.Space.Base())) // an error: a space of no chat
	what := "record"
	if r.Record == "" {
		what = "all"
	}
	c := Change{Chat: chat, Field: "label", Subject: string(r.Kind), New: what}
	if revoked {
		c.Old, c.New = what, ""
	}
	if by == sourceCommand {
		ctx = changes.WithActor(ctx, changes.ByCommand, persona.Account{})
	}
	b.note(ctx, c)
}

const (
	maxSearched    = 200 // records of the owner's memory that the list considers
	maxListed      = 10
	maxListedRunes = 40
)

// runOwnerCommand runs a command that the owner typed in the app.
func (b *Bot) runOwnerCommand(ctx context.Context, line string, kind persona.CommandKind, arg string) (reply string, err error) {
	if err := b.engine.AwaitStart(ctx); err != nil {
		return "", err
	}
	switch kind {
	case persona.CommandLabels:
		reply, err = b.listLabels(ctx)
	case persona.CommandRevoke:
		reply, err = b.revokeByCommand(ctx, arg)
	case persona.CommandDeclassify:
		reply, err = b.releaseByCommand(ctx, memory.Declassify, arg)
	default:
		reply, err = b.releaseByCommand(ctx, memory.Endorse, arg)
	}
	if err == nil {
		b.engine.Watchers.Act(ctx, b.engine.OwnerChat.ID, trace.Act{Kind: "command", Text: line, Outcome: reply})
	}
	return reply, err
}

// listLabels lists the untrusted records that the owner may release, and the releases.
func (b *Bot) listLabels(ctx context.Context) (string, error) {
	m := b.engine.Memory
	hits, err := m.OwnerReader(memory.Owner).Recall(ctx, time.Now(), memory.Query{Limit: maxSearched, KeepDuplicates: true})
	if err != nil {
		return "", err
	}
	all, err := m.LabelOverrides(ctx)
	if err != nil {
		return "", err
	}
	hits = slices.DeleteFunc(hits, func(h memory.Hit) bool { return m.EffectiveLabel(h.LabelOrDefault()).IsTrusted() })
	slices.SortStableFunc(hits, func(x, y memory.Hit) int { return y.At.Compare(x.At) })
	lines := []string{"没有不可信的内容。"}
	if len(hits) > 0 {
		lines[0] = "最近的不可信内容："
	}
	for _, h := range hits[:min(maxListed, len(hits))] {
		from := "不清楚"
		if spaces := h.LabelOrDefault().Spaces(); len(spaces) > 0 {
			from = joinSpaces(spaces)
		}
		lines = append(lines, fmt.Sprintf("%s（来自 %s）：%s", h.ID, from, clip.Ellipsis(strings.Join(strings.Fields(h.Text), " "), maxListedRunes)))
	}
	if len(all) > 0 {
		lines = append(lines, "已经放开的：")
	}
	for i, r := range all {
		lines = append(lines, fmt.Sprintf("%d. %s", i+1, b.describeRelease(r)))
	}
	return engine.StripInvisible(strings.Join(append(lines, "信任：/信任 id 或会话。公开：/公开 id 或会话。撤销：/撤销 编号。"), "\n")), nil
}

func joinSpaces(spaces []memory.Space) string {
	names := make([]string, len(spaces))
	for i, s := range spaces {
		names[i] = string(s)
	}
	return strings.Join(names, "、")
}

// describeRelease returns a short text about a release.
func (b *Bot) describeRelease(r memory.LabelOverride) string {
	what := "信任"
	if r.Kind == memory.Declassify {
		what = "公开"
	}
	of := string(r.Space)
	if r.Record != "" && r.Space == memory.Owner {
		of = r.Record
	} else if r.Record != "" {
		of += " 的 " + r.Record
	}
	if len(r.To) > 0 {
		of += "（对 " + joinSpaces(r.To) + "）"
	}
	return fmt.Sprintf("%s %s（%s）", what, of, r.At.In(b.engine.Options.Location).Format("01-02 15:04"))
}

// releaseByCommand releases a record of the owner's memory, or a known chat.
func (b *Bot) releaseByCommand(ctx context.Context, kind memory.LabelOverrideKind, arg string) (string, error) {
	if arg == "" {
		return "要写上 id 或会话，用 /标签 查看。", nil
	}
	r, err := b.release(ctx, sourceCommand, kind, memory.Owner, arg)
	if errors.Is(err, memory.ErrNotFound) {
		var chats []persona.Chat
		if chats, err = b.engine.KnownChats(ctx); err != nil {
			return "", err
		}
		if !slices.ContainsFunc(chats, func(c persona.Chat) bool { return c.String() == arg }) {
			return "没有这个 id 或会话，用 /标签 查看。", nil
		}
		r, err = b.release(ctx, sourceCommand, kind, memory.Space(arg), "")
	}
	if err != nil {
		return "", err
	}
	all, err := b.LabelOverrides(ctx)
	if err != nil {
		return "", err
	}
	reply := "好，已经" + b.describeRelease(r) + "。"
	switch {
	case r.Record == "" && kind == memory.Endorse:
		reply += "那里不管谁说的话，都和你说的一样可信。"
	case r.Record == "":
		reply += "由那里的话得出的内容，别的会话也能看到。"
	}
	n := slices.IndexFunc(all, func(o memory.LabelOverride) bool { return o.ID == r.ID })
	return fmt.Sprintf("%s要撤销：/撤销 %d", reply, n+1), nil
}

// revokeByCommand revokes a release by its number in the list, or by its id.
func (b *Bot) revokeByCommand(ctx context.Context, arg string) (string, error) {
	all, err := b.LabelOverrides(ctx)
	if err != nil {
		return "", err
	}
	n, _ := strconv.Atoi(arg)
	i := slices.IndexFunc(all, func(r memory.LabelOverride) bool { return r.ID == arg })
	if n >= 1 && n <= len(all) {
		i = n - 1
	}
	if i < 0 {
		return "没有这个编号，用 /标签 查看。", nil
	}
	if err := b.revoke(ctx, sourceCommand, all[i].ID); err != nil {
		return "", err
	}
	return "好，已经撤销：" + b.describeRelease(all[i]) + "。", nil
}
