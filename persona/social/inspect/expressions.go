package inspect

import (
	"errors"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/hearth-bot/hearth/memory/expressions"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/social"
)

// maxMeaning is the length of a meaning that the owner writes, in characters.
const maxMeaning = 200

// expressionRoutes maps the path of the page with what was learned of how groups talk. Only the owner sees it.
func (h *Handler) expressionRoutes() {
	h.page("GET /bot/{bot}/expressions", owners, h.expressions)
	h.page("POST /bot/{bot}/expressions", owners, h.reviewExpression)
}

// An expressionsPage is the data of the page.
type expressionsPage struct {
	Off    bool
	Groups []expressionGroup
	Chat   persona.Chat // the shown group; zero: none
	Rows   []expressions.Expression
	Most   int // characters of a meaning
}

// An expressionGroup links the page of one group.
type expressionGroup struct {
	Chat persona.Chat
	URL  string
}

// expressions shows the groups, and the expressions of one.
func (h *Handler) expressions(p *page) error {
	d := expressionsPage{Most: maxMeaning}
	spaces, err := p.feed.Bot.Memory().Spaces(p.r.Context())
	if err != nil {
		return err
	}
	for _, s := range spaces {
		var c persona.Chat
		if !s.IsSecret() && c.UnmarshalText([]byte(s)) == nil && c.Kind == persona.Group {
			d.Groups = append(d.Groups, expressionGroup{c, p.Base() + expressionsPath(c)})
		}
	}
	if value := p.r.FormValue("chat"); value != "" {
		if d.Chat, err = chatParam(value); err != nil {
			return err
		}
		if !slices.ContainsFunc(d.Groups, func(g expressionGroup) bool { return g.Chat == d.Chat }) {
			return errNotFound
		}
	} else if len(d.Groups) == 1 {
		d.Chat = d.Groups[0].Chat
	}
	d.Rows, err = p.feed.Bot.Expressions().List(p.r.Context(), d.Chat)
	if d.Off = errors.Is(err, social.ErrNoExpressions); err != nil && !d.Off && d.Chat != (persona.Chat{}) {
		return err
	}
	p.render("expressions.html", d)
	return nil
}

// reviewExpression forbids, allows or explains an expression, or learns now.
func (h *Handler) reviewExpression(p *page) error {
	review, ctx, form := p.feed.Bot.Expressions(), p.r.Context(), p.r.PostFormValue("form")
	c, err := chatParam(p.r.PostFormValue("chat"))
	if err != nil {
		return err
	}
	do := p.r.PostFormValue("do")
	switch do {
	case "forbid", "allow":
		err = review.Forbid(ctx, c, form, do == "forbid")
	case "explain":
		meaning := strings.Join(strings.Fields(p.r.PostFormValue("meaning")), " ")
		if utf8.RuneCountInString(meaning) > maxMeaning {
			return p.refuse(p.T("meaningTooLong"))
		}
		err = review.SetMeaning(ctx, c, form, meaning)
	case "learn":
		err = review.Learn(ctx)
	default:
		return errNotFound
	}
	switch {
	case errors.Is(err, social.ErrUnknownExpression), errors.Is(err, social.ErrNoExpressions):
		return errNotFound
	case err != nil:
		return err
	}
	p.changed("expression", do, "chat", c.String())
	return p.redirect(expressionsPath(c))
}

func expressionsPath(c persona.Chat) string {
	return "expressions?" + url.Values{"chat": {c.String()}}.Encode()
}

// Said returns when an expression is said, as people read it.
func (p *page) Said(e expressions.Expression) string {
	if text := e.Situation.Text(p.lang != chinese); text != "" {
		return text
	}
	return p.T("expression:" + string(e.Kind))
}
