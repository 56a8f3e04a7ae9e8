package qq

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"unicode"

	"github.com/hearth-bot/hearth/internal/clip"
	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/persona"
)

// Of how many candidates the model is told the ids when a name does not tell who is meant.
const maxAsked = 5

// A named is somebody, or a group, with the names that it goes by. Most of them are chosen by those who bear them: a
// name finds somebody only if nobody else has it, and proves nothing.
type named struct {
	chat  persona.Chat
	names []string
}

// match finds who bears a name, and whose names hold it where nobody does.
func match(name string, all []named) (exact, near []named) {
	name = fold(name)
	if name == "" {
		return nil, nil
	}
	for _, n := range all {
		switch {
		case slices.ContainsFunc(n.names, func(s string) bool { return fold(s) == name }):
			exact = append(exact, n)
		case slices.ContainsFunc(n.names, func(s string) bool { return strings.Contains(fold(s), name) }):
			near = append(near, n)
		}
	}
	return ordered(exact), ordered(near)
}

// ordered puts together what is one target, groups first, in the order of ids.
func ordered(list []named) (merged []named) {
	slices.SortStableFunc(list, func(a, b named) int {
		return cmp.Or(cmp.Compare(a.chat.Kind, b.chat.Kind), cmp.Compare(len(a.chat.ID), len(b.chat.ID)), cmp.Compare(a.chat.ID, b.chat.ID))
	})
	for _, n := range list {
		if last := len(merged) - 1; last >= 0 && merged[last].chat == n.chat {
			merged[last].names = slices.Concat(merged[last].names, n.names)
		} else {
			merged = append(merged, n)
		}
	}
	return merged
}

// fold makes names equal that look equal: case, full width, what is not seen, and blanks.
func fold(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r >= '！' && r <= '～': // full width ASCII
			r -= '！' - '!'
		case unicode.IsSpace(r):
			return ' '
		case unicode.In(r, unicode.Cc, unicode.Cf, unicode.Variation_Selector):
			return -1
		}
		for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
			if f < r {
				return f
			}
		}
		return r
	}, s)
	return strings.Join(strings.Fields(s), " ")
}

// only gives the one who bears a name, or an error that asks the model to ask. The error has ids only: what others are called
// is theirs to write, and whoever acts by a name need not read it.
func only(name string, all []named) (persona.Chat, error) {
	exact, near := match(name, all)
	switch {
	case len(exact) == 1:
		return exact[0].chat, nil
	case len(exact) > 1:
		return persona.Chat{}, tellf("叫这个名字的有 %d 个：%s。先问清楚是哪一个，再用它的 id", len(exact), listed(exact))
	case len(near) > 0:
		return persona.Chat{}, tellf("没有正好叫这个名字的。相近的有 %d 个：%s。先问清楚是不是其中一个，再用它的 id", len(near), listed(near))
	}
	return persona.Chat{}, nit.ModelError("没有叫这个名字的")
}

// A candidate is shown to the model as data.
type candidate struct {
	ID    string   `json:"id"`
	Names []string `json:"names"`
}

func candidates(list []named, most int) []candidate {
	out := []candidate{}
	for _, n := range list[:min(len(list), most)] {
		c := candidate{ID: n.chat.SourceID()}
		for _, name := range n.names {
			if name = line(name, 40); name != "" && !slices.Contains(c.Names, name) && len(c.Names) < 4 {
				c.Names = append(c.Names, name)
			}
		}
		out = append(out, c)
	}
	return out
}

func listed(list []named) string {
	var ids []string
	for _, n := range list[:min(len(list), maxAsked)] {
		ids = append(ids, n.chat.SourceID())
	}
	if len(list) > maxAsked {
		ids = append(ids, "等")
	}
	return strings.Join(ids, "、")
}

// line cuts a text that people wrote, and takes the line breaks out.
func line(s string, most int) string {
	return clip.Ellipsis(strings.Join(strings.Fields(s), " "), most)
}

// byName finds a group or a friend: groups only for kind "group", friends only for "private".
func (k *kit) byName(ctx context.Context, name, kind string) (persona.Chat, error) {
	all, err := k.known(ctx, kind)
	if err != nil {
		return persona.Chat{}, err
	}
	return only(name, all)
}

// known are the groups and the friends. One list alone would make names unique that are not.
func (k *kit) known(ctx context.Context, kind string) (all []named, err error) {
	if kind != "private" && k.actor.Groups != nil {
		groups, err := k.actor.Groups(ctx)
		if err != nil {
			return nil, errors.Join(nit.ModelError("没有查到群列表"), err)
		}
		for _, g := range groups {
			all = append(all, named{group(g.ID), []string{g.Remark, g.Name}})
		}
	}
	if kind != "group" && k.actor.Friends != nil {
		friends, err := k.actor.Friends(ctx)
		if err != nil {
			return nil, errors.Join(nit.ModelError("没有查到好友列表"), err)
		}
		for _, f := range friends {
			all = append(all, named{user(f.ID), []string{f.Remark, f.Nickname}})
		}
	}
	return slices.DeleteFunc(all, func(n named) bool { return !number(n.chat.ID) }), nil
}

// memberByName finds a member of a group by card, nickname, or remark.
func (k *kit) memberByName(ctx context.Context, in, name string) (string, error) {
	if k.actor.Members == nil {
		return "", errNotANumber
	}
	members, err := k.actor.Members(ctx, in)
	if err != nil {
		return "", errors.Join(nit.ModelError("没有查到群成员"), err)
	}
	friends, err := k.known(ctx, "private")
	if err != nil {
		return "", err
	}
	remarks := map[string][]string{}
	for _, f := range friends {
		remarks[f.chat.ID] = f.names
	}
	var all []named
	for _, m := range members {
		if number(m.ID) {
			all = append(all, named{user(m.ID), slices.Concat([]string{m.Card, m.Nickname}, remarks[m.ID])})
		}
	}
	to, err := only(strings.TrimPrefix(name, "@"), all)
	return to.ID, err
}
