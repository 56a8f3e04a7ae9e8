package recall

import (
	"context"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/nit"
)

type ownerIn struct {
	Query string `json:"query" jsonschema:"想知道主人的什么事；可以带时间，例如 上周学了什么"`
	Limit int    `json:"limit,omitempty" jsonschema:"最多几条"`
}

func (k *toolkit) readOwner() (nit.Tool, error) {
	return nit.Define("read_owner_memory", nit.L2, "用于检索主人的详细数据以完成具体任务。", k.searchOwner,
		k.describedForModes("当你被问及关于主人的事情时，可以用它来寻找灵感，但请注意保护隐私：找到的只是你自己心里有数，不必都说出来；没找到就说不知道。",
			nit.ReadOnly(), nit.EditSchema(setBounds))...)
}

// searchOwner searches the owner's memories. In agent mode it covers all of them. Elsewhere it leaves out secret ones
// and omits ids and names.
func (k *toolkit) searchOwner(ctx context.Context, in ownerIn) (searchResult, error) {
	p, _ := nit.PrincipalFrom(ctx)
	r, bare := k.redacted(k.m.Reader(memory.Owner)), true
	if p.Mode == nit.ModeAgent {
		r, bare = k.m.OwnerReader(memory.Owner, memory.Owner.Secret()), false
	}
	hits, err := r.Recall(ctx, k.now(), memory.Query{Text: in.Query, Limit: limitOrDefault(in.Limit)})
	if err != nil {
		return searchResult{}, err
	}
	if isOwnerTurn(p) {
		k.applyPlaceholders(ctx, hits)
		k.reportRead(ctx, hits, memory.Trusted())
	}
	var a searchResult
	a.add(hits, k.o.Location, bare)
	return a, nil
}

func (k *toolkit) redacted(r *memory.Reader) *memory.Reader {
	if k.o.Redact == nil {
		return r
	}
	return r.Redacted(k.o.Redact)
}

func limitOrDefault(limit int) int {
	if limit == 0 {
		return defaultHits
	}
	return min(limit, maxHits)
}
