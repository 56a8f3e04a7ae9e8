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

// Maximum of candidate ids for the model if a name is ambiguous.
const maxListedIDs = 5

// A candidateChat is a person or group with its names. People choose most of these names themselves. A name identifies a
// candidate only if it is unique, and it proves nothing.
type candidateChat struct {
	chat  persona.Chat
	names []string
}

// findByName returns the candidates with this name, and those with a name that contains it.
func findByName(name string, all []candidateChat) (exact, near []candidateChat) {
	name = normalizeName(name)
	if name == "" {
		return nil, nil
	}
	for _, n := range all {
		switch {
		case slices.ContainsFunc(n.names, func(s string) bool { return normalizeName(s) == name }):
			exact = append(exact, n)
		case slices.ContainsFunc(n.names, func(s string) bool { return strings.Contains(normalizeName(s), name) }):
			near = append(near, n)
		}
	}
	return mergeSorted(exact), mergeSorted(near)
}

// mergeSorted merges candidates with the same id and sorts them, groups first, then by id.
func mergeSorted(list []candidateChat) (merged []candidateChat) {
	slices.SortStableFunc(list, func(a, b candidateChat) int {
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

// normalizeName makes names equal that look equal. It folds case, full width and white space and removes invisible
// characters.
func normalizeName(s string) string {
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

// unique returns the only exact match. Otherwise the error asks the model to clarify. It lists ids only, because names
// are untrusted text and the caller may not have read any.
func unique(name string, all []candidateChat) (persona.Chat, error) {
	exact, near := findByName(name, all)
	switch {
	case len(exact) == 1:
		return exact[0].chat, nil
	case len(exact) > 1:
		return persona.Chat{}, modelErrorf("叫这个名字的有 %d 个：%s。先问清楚是哪一个，再用它的 id", len(exact), listIDs(exact))
	case len(near) > 0:
		return persona.Chat{}, modelErrorf("没有正好叫这个名字的。相近的有 %d 个：%s。先问清楚是不是其中一个，再用它的 id", len(near), listIDs(near))
	}
	return persona.Chat{}, nit.ModelError("没有叫这个名字的")
}

// A foundChat is a candidate as shown to the model.
type foundChat struct {
	ID    string   `json:"id"`
	Names []string `json:"names"`
}

func toFound(list []candidateChat, most int) []foundChat {
	out := []foundChat{}
	for _, n := range list[:min(len(list), most)] {
		c := foundChat{ID: n.chat.SourceID()}
		for _, name := range n.names {
			if name = line(name, 40); name != "" && !slices.Contains(c.Names, name) && len(c.Names) < 4 {
				c.Names = append(c.Names, name)
			}
		}
		out = append(out, c)
	}
	return out
}

func listIDs(list []candidateChat) string {
	var ids []string
	for _, n := range list[:min(len(list), maxListedIDs)] {
		ids = append(ids, n.chat.SourceID())
	}
	if len(list) > maxListedIDs {
		ids = append(ids, "等")
	}
	return strings.Join(ids, "、")
}

// line replaces white space with single spaces and truncates the text.
func line(s string, most int) string {
	return clip.Ellipsis(strings.Join(strings.Fields(s), " "), most)
}

// resolveName finds a group or friend by name. kind "group" means groups only, "private" friends only.
func (k *toolkit) resolveName(ctx context.Context, name, kind string) (persona.Chat, error) {
	all, err := k.contacts(ctx, kind)
	if err != nil {
		return persona.Chat{}, err
	}
	return unique(name, all)
}

// contacts returns groups and friends. An error in one list is an error of all, because otherwise an ambiguous name
// could seem unique.
func (k *toolkit) contacts(ctx context.Context, kind string) (all []candidateChat, err error) {
	if kind != "private" && k.actor.Groups != nil {
		groups, err := k.actor.Groups(ctx)
		if err != nil {
			return nil, errors.Join(nit.ModelError("没有查到群列表"), err)
		}
		for _, g := range groups {
			all = append(all, candidateChat{groupChat(g.ID), []string{g.Remark, g.Name}})
		}
	}
	if kind != "group" && k.actor.Friends != nil {
		friends, err := k.actor.Friends(ctx)
		if err != nil {
			return nil, errors.Join(nit.ModelError("没有查到好友列表"), err)
		}
		for _, f := range friends {
			all = append(all, candidateChat{userChat(f.ID), []string{f.Remark, f.Nickname}})
		}
	}
	return slices.DeleteFunc(all, func(n candidateChat) bool { return !isID(n.chat.ID) }), nil
}

// memberByName finds a group member by card, nickname or remark.
func (k *toolkit) memberByName(ctx context.Context, in, name string) (string, error) {
	if k.actor.Members == nil {
		return "", errNotANumber
	}
	members, err := k.actor.Members(ctx, in)
	if err != nil {
		return "", errors.Join(nit.ModelError("没有查到群成员"), err)
	}
	friends, err := k.contacts(ctx, "private")
	if err != nil {
		return "", err
	}
	remarks := map[string][]string{}
	for _, f := range friends {
		remarks[f.chat.ID] = f.names
	}
	var all []candidateChat
	for _, m := range members {
		if isID(m.ID) {
			all = append(all, candidateChat{userChat(m.ID), slices.Concat([]string{m.Card, m.Nickname}, remarks[m.ID])})
		}
	}
	to, err := unique(strings.TrimPrefix(name, "@"), all)
	return to.ID, err
}
