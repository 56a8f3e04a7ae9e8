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

// edit is in tier L3, which read_social_memory revokes. So text from strangers cannot change or delete the owner's
// memory.
func (k *toolkit) edit() (nit.Tool, error) {
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

func (k *toolkit) change(ctx context.Context, in editIn) (editOut, error) {
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
		err = k.forEachSpace(ctx, recs, k.m.Delete)
	case "hide":
		err = k.forEachSpace(ctx, slices.DeleteFunc(recs, func(r memory.Record) bool { return r.Space.IsSecret() }), k.m.Hide)
	case "reveal":
		err = k.forEachSpace(ctx, slices.DeleteFunc(recs, func(r memory.Record) bool { return !r.Space.IsSecret() }), k.m.Reveal)
	}
	return editOut{in.Op, ids}, err
}

// write stores a fact in the owner's space. It is idempotent within a turn: the same text has the same id.
func (k *toolkit) write(ctx context.Context, in editIn) (editOut, error) {
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
		Label: k.writeLabel(ctx),
	}
	if in.Secret {
		r.Space = r.Space.Secret()
	}
	return editOut{in.Op, []string{r.ID}}, ignoreNotIndexed(k.m.Put(ctx, r))
}

// writeLabel returns the label for a new record.
func (k *toolkit) writeLabel(ctx context.Context) memory.Label {
	if k.o.WriteLabel == nil {
		return memory.Trusted(memory.Owner)
	}
	return k.o.WriteLabel(ctx)
}

// correct changes a derived record. Messages stay as they were written.
func (k *toolkit) correct(ctx context.Context, r memory.Record, in editIn) error {
	switch {
	case r.Kind == memory.KindMessage:
		return nit.ModelError("这是说过的原话，不能改：可以 forget 它，再 write 一条")
	case strings.TrimSpace(in.Text) == "":
		return nit.ModelError("text 是空的，什么也没有改")
	}
	r.Text, r.Vector, r.Embedder = in.Text, nil, ""
	if l := k.writeLabel(ctx); !l.IsTrusted() || !l.ReadableFrom(memory.Owner, r.Space.Base()) { // trusted text that may be shown in this space needs no join
		r.Label = r.LabelOrDefault().Join(l)
	}
	if in.Importance > 0 {
		r.Importance = in.Importance
	}
	return ignoreNotIndexed(k.m.Put(ctx, r))
}

// ignoreNotIndexed ignores a failed index update: the record is stored and word search finds it.
func ignoreNotIndexed(err error) error {
	if errors.Is(err, memory.ErrNotIndexed) {
		return nil
	}
	return err
}

// find returns the records with these ids in a place. It fails if one is missing.
func (k *toolkit) find(ctx context.Context, where string, ids []string) ([]memory.Record, error) {
	spaces, err := k.resolveSpaces(ctx, where)
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

// resolveSpaces returns the public spaces of a place.
func (k *toolkit) resolveSpaces(ctx context.Context, where string) ([]memory.Space, error) {
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

// forEachSpace calls do once per space with the ids of its records.
func (k *toolkit) forEachSpace(ctx context.Context, recs []memory.Record, do func(context.Context, memory.Space, ...string) error) error {
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
