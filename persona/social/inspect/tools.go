package inspect

import (
	"errors"
	"slices"
	"strings"

	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/nit/self"
	"github.com/hearth-bot/hearth/persona/social"
)

// A toolsPage is the data of the page with plugins and tools.
type toolsPage struct {
	Here    string
	Mistake string
	Plugins []social.PluginStatus
}

// tools shows the plugins with their tools.
func (h *Handler) tools(p *page, mistake string) (err error) {
	d := toolsPage{Here: "tools", Mistake: mistake}
	if d.Plugins, err = p.feed.Bot.Plugins(p.r.Context()); err != nil {
		return err
	}
	p.setStatus(mistake)
	p.render("tools.html", d)
	return nil
}

// switchTools switches a plugin, or loads or unloads the tools of the link.
func (h *Handler) switchTools(p *page) error {
	var err error
	switch do := p.r.PostFormValue("do"); do {
	case "on", "off":
		err = p.feed.Bot.SwitchPlugin(p.r.Context(), p.r.PostFormValue("plugin"), do == "on")
	case "load", "unload":
		err = p.feed.Bot.SetSocialMode(p.r.Context(), do == "load")
	default:
		return errNotFound
	}
	switch {
	case err == nil:
		return p.redirect("tools")
	case errors.Is(err, social.ErrNoPlugin):
		return h.tools(p, p.T("noSwitch"))
	}
	return err
}

// Modes returns the modes that see a tool now, as people read them.
func (p *page) Modes(t nit.ToolStatus) string {
	var names []string
	for _, m := range t.On {
		switch m {
		case nit.ModePersona:
			m = p.T("modePersona")
		case nit.ModeAgent:
			m = p.T("modeAgent")
		case self.ModeBackground:
			m = p.T("modeBackground")
		case self.ModeAutonomous:
			m = p.T("modeAutonomous")
		}
		names = append(names, m)
	}
	if len(names) == 0 {
		return p.T("nobodySees")
	}
	return strings.Join(slices.Compact(names), p.T("comma"))
}

var sourceTexts = map[string]string{"link": "srcLink", "builtin": "srcBuiltin", "program": "srcProgram"}

// Source returns where a plugin comes from, as people read it.
func (p *page) Source(s social.PluginStatus) string { return p.T(sourceTexts[s.Source]) }
