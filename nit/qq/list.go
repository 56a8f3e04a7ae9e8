package qq

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/hearth-bot/hearth/nit"
)

// Items of a page.
const pageSize = 30

type listIn struct {
	Query string `json:"query,omitempty" jsonschema:"只列出名字里有这些字的"`
	Page  int    `json:"page,omitempty" jsonschema:"第几页，从 1 开始"`
}

func listSchema(s *jsonschema.Schema) {
	s.Properties["page"].Minimum, s.Properties["page"].Maximum = new(1.0), new(1000.0)
	s.Properties["query"].MaxLength = new(100)
}

// A page is a part of a list.
type page[T any] struct {
	Total int `json:"total"`
	Pages int `json:"pages"`
	Items []T `json:"items"`
}

func pageOf[T any](all []T, in listIn, size int, names func(T) []string) page[T] {
	if q := normalizeName(in.Query); q != "" {
		all = slices.DeleteFunc(all, func(x T) bool {
			return !slices.ContainsFunc(names(x), func(s string) bool { return strings.Contains(normalizeName(s), q) })
		})
	}
	p := page[T]{Total: len(all), Pages: (len(all) + size - 1) / size, Items: []T{}}
	from := min((max(in.Page, 1)-1)*size, len(all))
	p.Items = append(p.Items, all[from:min(from+size, len(all))]...)
	return p
}

type personOut struct {
	UserID   shownID `json:"user_id"`
	Nickname string  `json:"nickname"`
	Remark   string  `json:"remark,omitempty"`
	Card     string  `json:"card,omitempty"`
	Role     string  `json:"role,omitempty"`
	Sex      string  `json:"sex,omitempty"`
	Age      int64   `json:"age,omitempty"`
}

func people(users []User, in listIn) page[personOut] {
	var all []personOut
	for _, u := range users {
		all = append(all, personOut{UserID: shownID(u.ID), Nickname: line(u.Nickname, 40), Remark: line(u.Remark, 40), Card: line(u.Card, 40), Role: u.Role})
	}
	return pageOf(all, in, pageSize, func(p personOut) []string { return []string{p.Nickname, p.Remark, p.Card} })
}

func (k *toolkit) friendList() (nit.Tool, error) {
	return nit.Define("qq_get_friend_list", nit.L1, "列出好友：QQ号、昵称、备注。", k.friends, agentOnly(readsUntrusted(nit.EditSchema(listSchema))...)...)
}

func (k *toolkit) friends(ctx context.Context, in listIn) (page[personOut], error) {
	friends, err := k.actor.Friends(ctx)
	if err != nil {
		return page[personOut]{}, errors.Join(nit.ModelError("没有查到好友列表"), err)
	}
	return people(friends, in), nil
}

type groupOut struct {
	GroupID shownID `json:"group_id"`
	Name    string  `json:"name"`
	Remark  string  `json:"remark,omitempty"`
	Members int64   `json:"members,omitempty"`
}

func (k *toolkit) groupList() (nit.Tool, error) {
	return nit.Define("qq_get_group_list", nit.L1, "列出加入的群：群号、群名、备注、人数。", k.groups, agentOnly(readsUntrusted(nit.EditSchema(listSchema))...)...)
}

func (k *toolkit) groups(ctx context.Context, in listIn) (page[groupOut], error) {
	groups, err := k.actor.Groups(ctx)
	if err != nil {
		return page[groupOut]{}, errors.Join(nit.ModelError("没有查到群列表"), err)
	}
	var all []groupOut
	for _, g := range groups {
		all = append(all, groupOut{shownID(g.ID), line(g.Name, 40), line(g.Remark, 40), g.MemberCount})
	}
	return pageOf(all, in, pageSize, func(g groupOut) []string { return []string{g.Name, g.Remark} }), nil
}

type memberListIn struct {
	groupIn
	listIn
}

func (k *toolkit) memberList() (nit.Tool, error) {
	return nit.Define("qq_get_group_member_list", nit.L1, "列出一个群的成员：QQ号、昵称、群名片、身份。", k.members, agentOnly(readsUntrusted(nit.EditSchema(listSchema))...)...)
}

func (k *toolkit) members(ctx context.Context, in memberListIn) (page[personOut], error) {
	group, err := k.resolveGroup(ctx, in.Group)
	if err != nil {
		return page[personOut]{}, err
	}
	members, err := k.actor.Members(ctx, group)
	if err != nil {
		return page[personOut]{}, errors.Join(nit.ModelError("没有查到群成员"), err)
	}
	return people(members, in.listIn), nil
}

type findIn struct {
	Name string `json:"name" jsonschema:"群名、备注或昵称"`
	Type string `json:"type,omitempty" jsonschema:"只找群（group）或只找好友（private）；留空都找"`
}

type findOut struct {
	Same []foundChat `json:"same"`           // exact matches
	Near []foundChat `json:"near,omitempty"` // partial matches
	More int         `json:"more,omitempty"` // number of omitted matches
}

// Maximum of exact and of partial matches.
const maxFound = 10

func (k *toolkit) findTarget() (nit.Tool, error) {
	return nit.Define("qq_find_target", nit.L1, "按名字找群和好友的 id。名字会重复，也是别人自己写的；不止一个时，先问清楚是哪一个。", k.findTargets,
		agentOnly(readsUntrusted(nit.EditSchema(func(s *jsonschema.Schema) {
			s.Properties["name"].MinLength, s.Properties["name"].MaxLength = new(1), new(100)
			s.Properties["type"].Enum = []any{"group", "private"}
		}))...)...)
}

func (k *toolkit) findTargets(ctx context.Context, in findIn) (findOut, error) {
	all, err := k.contacts(ctx, in.Type)
	if err != nil {
		return findOut{}, err
	}
	exact, near := findByName(in.Name, all)
	return findOut{
		Same: toFound(exact, maxFound), Near: toFound(near, maxFound),
		More: max(len(exact)-maxFound, 0) + max(len(near)-maxFound, 0),
	}, nil
}
