package inspect

import (
	"net/http"

	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/social"
)

// A settingsPage is the data of the page with the settings of a chat.
type settingsPage struct {
	Here string
	Chat persona.Chat
	Form settingsForm
}

// settings shows the form of a chat.
func (h *Handler) settings(p *page) error {
	c, err := chatParam(p.r.FormValue("chat"))
	if err != nil {
		return err
	}
	form, err := p.settingsForm(c)
	if err != nil {
		return err
	}
	p.render("settings.html", settingsPage{Chat: c, Form: form})
	return nil
}

// settingsForm returns the form with the settings of a chat.
func (p *page) settingsForm(c persona.Chat) (settingsForm, error) {
	all, err := p.feed.Bot.Overrides(p.r.Context())
	if err != nil {
		return settingsForm{}, err
	}
	return p.newForm(c, all[c], p.feed.Bot.ChatDefaults(c)), nil
}

// configure changes the settings of a chat. If they are invalid, it shows the form again with what was written.
func (h *Handler) configure(p *page) error {
	c, err := chatParam(p.r.PostFormValue("chat"))
	if err != nil {
		return err
	}
	if p.r.PostFormValue("do") == "reset" {
		if err := p.feed.Bot.Configure(p.r.Context(), c, social.ChatSettings{}); err != nil {
			return err
		}
		return p.redirect(p.settingsPath(c))
	}
	form, err := p.settingsForm(c)
	if err != nil {
		return err
	}
	s, ok := form.read(p)
	if ok {
		if err := p.feed.Bot.Configure(p.r.Context(), c, s); err == nil {
			return p.redirect(p.settingsPath(c))
		} else if p.r.Context().Err() != nil {
			return err
		} else {
			form.explain(s, err)
		}
	}
	p.w.WriteHeader(http.StatusUnprocessableEntity)
	p.render("settings.html", settingsPage{Chat: c, Form: form})
	return nil
}
