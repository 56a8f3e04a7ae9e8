package recall

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/nit"
)

type editIn struct {
	Op         string   `json:"op" jsonschema:"write 记下一件事，correct 改正，forget 忘掉，hide 设为秘密，reveal 取消秘密"`
	Text       string   `json:"text,omitempty" jsonschema:"write 和 correct 的内容：一句完整的话"`
	IDs        []string `json:"ids,omitempty" jsonschema:"correct、forget、hide、reveal 的记忆 id；correct 只写一个"`
	Where      string   `json:"where,omitempty" jsonschema:"这些记忆在哪里：owner、self、group_群号 或 user_QQ号；留空就是 owner"`
	Importance float64  `json:"importance,omitempty" jsonschema:"write 和 correct：多重要，0 到 1"`
	Secret     bool     `json:"secret,omitempty" jsonschema:"write：不能让别人知道"`
}

type editOut struct {
	Done string   `json:"done"`
	IDs  []string `json:"ids"`
}

const (
	maxEdits = 20
	maxFact  = 2000 // characters
	maxRefID = 200
)

// edit lies in tier L3: after read_social_memory it is gone with what acts, so that nothing that strangers wrote becomes the owner's memory,
// or takes any of it away.
func (k *kit) edit() (nit.Tool, error) {
	return nit.Define("memory_edit", nit.L3, "修改记忆：主人让你记住、改正、忘掉什么事，或者不许告诉别人的时候用。id 从 memory_ops、read_owner_memory 或 read_social_memory 来。忘掉之后找不回来，由它得出的记忆也一起忘掉。", k.change, nit.OnlyIn(nit.ModeAgent), nit.EditSchema(func(s *jsonschema.Schema) {
		s.Properties["op"].Enum = []any{"write", "correct", "forget", "hide", "reveal"}
		text, ids, where, least, most := maxFact, maxEdits, 70, 0.0, 1.0
		one, ref := 1, maxRefID
		s.Properties["text"].MaxLength, s.Properties["where"].MaxLength = &text, &where
		s.Properties["ids"].MaxItems = &ids
		s.Properties["ids"].Items.MinLength, s.Properties["ids"].Items.MaxLength = &one, &ref
		s.Properties["importance"].Minimum, s.Properties["importance"].Maximum = &least, &most
	}))
}

func (k *kit) change(ctx context.Context, in editIn) (editOut, error) {
	if in.Op == "write" {
		return k.write(ctx, in)
	}
	if len(in.IDs) == 0 || in.Op == "correct" && len(in.IDs) > 1 {
		return editOut{}, nit.ModelError("ids 里要写记忆的 id；correct 只写一个")
	}
	ids := slices.Clone(in.IDs)
	slices.Sort(ids)
	ids = slices.Compact(ids)
	recs, err := k.find(ctx, in.Where, ids)
	if err != nil {
		return editOut{}, err
	}
	switch in.Op {
	case "correct":
		err = k.correct(ctx, recs[0], in)
	case "forget":
		err = k.each(ctx, recs, k.m.Delete)
	case "hide":
		err = k.each(ctx, slices.DeleteFunc(recs, func(r memory.Record) bool { return r.Space.IsSecret() }), k.m.Hide)
	case "reveal":
		err = k.each(ctx, slices.DeleteFunc(recs, func(r memory.Record) bool { return !r.Space.IsSecret() }), k.m.Reveal)
	}
	return editOut{in.Op, ids}, err
}

// write keeps a fact in the owner's space. The same words in the same turn are one fact.
func (k *kit) write(ctx context.Context, in editIn) (editOut, error) {
	p, _ := nit.PrincipalFrom(ctx)
	if strings.TrimSpace(in.Text) == "" {
		return editOut{}, nit.ModelError("text 是空的，什么也没有记")
	}
	if in.Where != "" && in.Where != string(memory.Owner) {
		return editOut{}, nit.ModelError("write 只记主人的事，where 留空")
	}
	now := k.now()
	sum := sha256.Sum256([]byte(p.Turn + "\x00" + now.Format("2006-01-02") + "\x00" + in.Text))
	r := memory.Record{
		ID: fmt.Sprintf("fact:%x", sum[:8]), Space: memory.Owner, Kind: memory.KindFact, Text: in.Text, Importance: in.Importance, At: now,
		Label: k.bears(ctx),
	}
	if in.Secret {
		r.Space = r.Space.Secret()
	}
	return editOut{in.Op, []string{r.ID}}, kept(k.m.Put(ctx, r))
}

// bears is the label of what a call writes.
func (k *kit) bears(ctx context.Context) memory.Label {
	if k.o.WriteLabel == nil {
		return memory.Trusted(memory.Owner)
	}
	return k.o.WriteLabel(ctx)
}

// correct changes what was learned. What somebody said word for word stays as it was said.
func (k *kit) correct(ctx context.Context, r memory.Record, in editIn) error {
	switch {
	case r.Kind == memory.KindMessage:
		return nit.ModelError("这是说过的原话，不能改：可以 forget 它，再 write 一条")
	case strings.TrimSpace(in.Text) == "":
		return nit.ModelError("text 是空的，什么也没有改")
	}
	r.Text, r.Vector, r.Embedder = in.Text, nil, ""
	if l := k.bears(ctx); !l.IsTrusted() || !l.ReadableFrom(memory.Owner, r.Space.Base()) { // the owner's own words are for where they are put
		r.Label = r.LabelOrDefault().Join(l)
	}
	if in.Importance > 0 {
		r.Importance = in.Importance
	}
	return kept(k.m.Put(ctx, r))
}

// kept passes over an index that failed: the memory is written, and words find it.
func kept(err error) error {
	if errors.Is(err, memory.ErrNotIndexed) {
		return nil
	}
	return err
}

// find reads records by id, where the call says that they are. All of them, or the model is told.
func (k *kit) find(ctx context.Context, where string, ids []string) ([]memory.Record, error) {
	spaces, err := k.located(ctx, where)
	if err != nil {
		return nil, err
	}
	var recs []memory.Record
	for _, s := range spaces {
		for _, s := range []memory.Space{s, s.Secret()} {
			found, err := k.m.Get(ctx, s, ids...)
			if err != nil {
				return nil, err
			}
			recs = append(recs, found...)
		}
	}
	if len(recs) != len(ids) {
		return nil, nit.ModelError(fmt.Sprintf("%d 个 id 里找到 %d 个，什么也没有改", len(ids), len(recs)))
	}
	return recs, nil
}

// located are the plain spaces of a place.
func (k *kit) located(ctx context.Context, where string) ([]memory.Space, error) {
	switch where {
	case "", string(memory.Owner):
		return []memory.Space{memory.Owner}, nil
	case string(memory.Self):
		return []memory.Space{memory.Self}, nil
	}
	f, err := ParseFilter(where, k.now())
	if err != nil || len(f.Groups) > 1 || (f.User == "") == (len(f.Groups) == 0) || !f.Since.IsZero() || !f.Until.IsZero() {
		return nil, nit.ModelError("where 写 owner、self、group_群号 或 user_QQ号")
	}
	all, err := k.chats(ctx)
	if err != nil {
		return nil, err
	}
	var spaces []memory.Space
	for _, c := range all {
		if c.kind == "private" && c.id == f.User || c.kind == "group" && slices.Contains(f.Groups, c.id) {
			spaces = append(spaces, c.space)
		}
	}
	return spaces, nil
}

// each does something to records, space by space.
func (k *kit) each(ctx context.Context, recs []memory.Record, do func(context.Context, memory.Space, ...string) error) error {
	by := make(map[memory.Space][]string)
	var order []memory.Space
	for _, r := range recs {
		if by[r.Space] == nil {
			order = append(order, r.Space)
		}
		by[r.Space] = append(by[r.Space], r.ID)
	}
	for _, s := range order {
		if err := do(ctx, s, by[s]...); err != nil && !errors.Is(err, memory.ErrNotIndexed) {
			return err
		}
	}
	return nil
}
