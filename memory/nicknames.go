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

// A NicknameUse means that a name was used for a person.
type NicknameUse struct {
	Person   string // the person that is meant
	Name     string
	UsedBy   string // ID of the speaker; "": unknown
	Reliable bool   // the name certainly means this person

	sources []string // IDs of messages that contain the name
}

const (
	reliableGain   = 5.  // strength per reliable use
	unreliableGain = .5  // strength per unreliable use
	nicknameDecay  = .1  // loss per turn in which the person took part and the name was not used
	stableStrength = 10. // a name that has reached this strength never falls below it
	maxStrength    = 1e6
)

// LearnNicknames updates the nicknames in this space after one turn. A reliable use adds 5 to the strength of a name,
// and an unreliable use adds .5. Unused names of the persons in present lose .1 and are deleted at 0. A name that has
// reached strength 10 never falls below it. present lists the persons that took part in the turn.
//
// Invalid names are skipped: empty ones, those longer than 64 bytes, and platform IDs. The caller must leave out the
// bot's own name and general words such as "大家".
func (p *People) LearnNicknames(ctx context.Context, now time.Time, present []string, namings ...NicknameUse) error {
	order, by, err := groupByPerson(present, namings)
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
		if _, err := p.update(ctx, now, id, func(person *Person) error { person.learnNicknames(by[id], here[id]); return nil }); err != nil {
			return fmt.Errorf("memory: nicknames of %q: %w", id, err)
		}
	}
	return nil
}

// groupByPerson groups uses by person. order lists each person that is present or named.
func groupByPerson(present []string, namings []NicknameUse) (order []string, by map[string][]NicknameUse, err error) {
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
		if n.Name = strings.Join(strings.Fields(sanitize(n.Name)), " "); n.Name == "" || len(n.Name) > maxNicknameBytes || n.Name == n.Person {
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

// learnNicknames applies the uses of one person's names.
func (person *Person) learnNicknames(namings []NicknameUse, present bool) {
	used := map[string]bool{}
	for _, n := range namings {
		i := slices.IndexFunc(person.Names, func(old Nickname) bool { return old.Name == n.Name })
		if i < 0 {
			i = len(person.Names)
			person.Names = append(person.Names, Nickname{Name: n.Name})
		}
		used[n.Name] = true
		step := unreliableGain
		if n.Reliable {
			step = reliableGain
		}
		nick := &person.Names[i]
		nick.Strength = min(nick.Strength+step, maxStrength)
		if n.UsedBy != "" && !slices.Contains(nick.UsedBy, n.UsedBy) && len(nick.UsedBy) < maxNicknameSources {
			nick.UsedBy = append(nick.UsedBy, n.UsedBy)
		}
		nick.Sources = union(nick.Sources, n.sources)
		nick.Sources = nick.Sources[max(0, len(nick.Sources)-maxNicknameSources):]
	}
	kept := person.Names[:0:0]
	for _, nick := range person.Names {
		if present && !used[nick.Name] && nick.Strength < stableStrength {
			nick.Strength -= nicknameDecay
		} else if present && !used[nick.Name] {
			nick.Strength = max(nick.Strength-nicknameDecay, stableStrength)
		}
		if nick.Strength > 1e-9 {
			kept = append(kept, nick)
		}
	}
	slices.SortStableFunc(kept, func(a, b Nickname) int {
		return cmp.Or(cmp.Compare(b.Strength, a.Strength), cmp.Compare(a.Name, b.Name))
	})
	person.Names = kept[:min(len(kept), MaxNicknames)]
}

// A NicknamePick is a nickname chosen for a prompt.
type NicknamePick struct {
	Person string
	Nickname
}

// PickNicknames picks at most n nicknames of strength 10 or more for a prompt, from these persons or from everybody if
// none is given. Stronger names are more likely. It samples without replacement by the keys −Exp(1)/(strength+1), after
// Efraimidis and Spirakis 2006. The result is sorted by person and name. An rng in the same state gives the same
// result.
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
	for _, person := range all {
		if len(persons) > 0 && !slices.Contains(persons, person.ID) {
			continue
		}
		for _, nick := range person.Names {
			if nick.Strength >= stableStrength {
				ds = append(ds, drawn{NicknamePick{person.ID, nick}, -rng.ExpFloat64() / (nick.Strength + 1)})
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
