package memory

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
)

// A NicknameUse is that somebody was called something.
type NicknameUse struct {
	Person   string // who is meant
	Name     string
	UsedBy   string // who said so; "": not known
	Reliable bool   // it is certain that they are meant

	sources []string // IDs of messages that say so
}

const (
	nameSure   = 5.  // a reliable naming adds
	nameUnsure = .5  // an unreliable one
	nameFades  = .1  // and a turn with that person in which it was not used takes away
	nameStays  = 10. // what has come so far never falls below
	nameMost   = 1e6
)

// LearnNicknames learns from one turn what people are called here: a reliable naming makes a name stronger by 5, an unreliable one by .5, and all other names
// of the persons present, who took part in the turn, fade by .1 and go at 0; one of strength 10 never falls below it again.
// Namings without a usable name (empty, longer than 64 bytes, a platform ID) are left out; that a name is not the being's own or a
// word for anybody ("大家") is for the caller to know.
func (p *People) LearnNicknames(ctx context.Context, now time.Time, present []string, namings ...NicknameUse) error {
	order, by, err := called(present, namings)
	if err != nil {
		return err
	}
	for _, id := range order {
		if _, err := p.key(id); err != nil {
			return err
		}
	}
	here := map[string]bool{}
	for _, id := range present {
		here[id] = true
	}
	for _, id := range order {
		if _, err := p.change(ctx, now, id, func(who *Person) error { who.name(by[id], here[id]); return nil }); err != nil {
			return fmt.Errorf("memory: names of %q: %w", id, err)
		}
	}
	return nil
}

// called sorts namings by who is meant; order has everybody who is present or named.
func called(present []string, namings []NicknameUse) (order []string, by map[string][]NicknameUse, err error) {
	by = map[string][]NicknameUse{}
	add := func(id string) {
		if _, ok := by[id]; !ok {
			by[id], order = nil, append(order, id)
		}
	}
	for _, id := range present {
		add(id)
	}
	for _, n := range namings {
		if n.Name = strings.Join(strings.Fields(mend(n.Name)), " "); n.Name == "" || len(n.Name) > maxName || n.Name == n.Person {
			continue
		}
		if err := validAddress("person", n.UsedBy); err != nil {
			return nil, nil, err
		}
		add(n.Person)
		by[n.Person] = append(by[n.Person], n)
	}
	return order, by, nil
}

// name learns namings of one person.
func (who *Person) name(namings []NicknameUse, present bool) {
	used := map[string]bool{}
	for _, n := range namings {
		i := slices.IndexFunc(who.Names, func(old Nickname) bool { return old.Name == n.Name })
		if i < 0 {
			i = len(who.Names)
			who.Names = append(who.Names, Nickname{Name: n.Name})
		}
		used[n.Name] = true
		step := nameUnsure
		if n.Reliable {
			step = nameSure
		}
		nick := &who.Names[i]
		nick.Strength = min(nick.Strength+step, nameMost)
		if n.UsedBy != "" && !slices.Contains(nick.UsedBy, n.UsedBy) && len(nick.UsedBy) < maxBy {
			nick.UsedBy = append(nick.UsedBy, n.UsedBy)
		}
		nick.Sources = union(nick.Sources, n.sources)
		nick.Sources = nick.Sources[max(0, len(nick.Sources)-maxBy):]
	}
	kept := who.Names[:0:0]
	for _, nick := range who.Names {
		if present && !used[nick.Name] && nick.Strength < nameStays {
			nick.Strength -= nameFades
		} else if present && !used[nick.Name] {
			nick.Strength = max(nick.Strength-nameFades, nameStays)
		}
		if nick.Strength > 1e-9 {
			kept = append(kept, nick)
		}
	}
	slices.SortStableFunc(kept, func(a, b Nickname) int {
		return cmp.Or(cmp.Compare(b.Strength, a.Strength), cmp.Compare(a.Name, b.Name))
	})
	who.Names = kept[:min(len(kept), MaxNicknames)]
}

// A NicknamePick is a name that a prompt may be told.
type NicknamePick struct {
	Person string
	Nickname
}

// PickNicknames picks at most n names of strength 10 or more, of these persons or with none named of everybody known here, for a prompt: a name's
// chance grows with its strength (weighted sampling without replacement by the keys −Exp(1)/(strength+1), Efraimidis and Spirakis 2006). They come by person and name.
// The same rng, in the same state, picks the same.
func (p *People) PickNicknames(ctx context.Context, rng *rand.Rand, n int, persons ...string) ([]NicknamePick, error) {
	all, err := p.All(ctx)
	if err != nil {
		return nil, err
	}
	type drawn struct {
		NicknamePick
		key float64
	}
	var ds []drawn
	for _, who := range all {
		if len(persons) > 0 && !slices.Contains(persons, who.ID) {
			continue
		}
		for _, nick := range who.Names {
			if nick.Strength >= nameStays {
				ds = append(ds, drawn{NicknamePick{who.ID, nick}, -rng.ExpFloat64() / (nick.Strength + 1)})
			}
		}
	}
	slices.SortFunc(ds, func(a, b drawn) int { return cmp.Compare(b.key, a.key) })
	ds = ds[:min(max(n, 0), len(ds))]
	slices.SortFunc(ds, func(a, b drawn) int { return cmp.Or(cmp.Compare(a.Person, b.Person), cmp.Compare(a.Name, b.Name)) })
	out := make([]NicknamePick, len(ds))
	for i := range ds {
		out[i] = ds[i].NicknamePick
	}
	return out, nil
}
