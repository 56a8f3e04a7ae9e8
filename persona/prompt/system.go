package prompt

import (
	"cmp"
	"github.com/hearth-bot/hearth/persona"
	"strings"
)

// System renders the system prompt: who the being is, where, when it speaks, how to read what people wrote, and
// [Honesty] at its end. It depends on nothing but the profile and the scene's Mode, kind of chat, Prompts, and whether it
// is a part, so that it is the same from turn to turn and providers can cache it.
func System(p persona.Profile, s Scene) string {
	place, rules, read := groupPlace, GroupRules, reading
	switch {
	case s.Mode == persona.Agent:
		place, rules, read = agentPlace, AgentRules, agentReading
	case s.Part == Judge || s.Chat == persona.Chat{}:
		place = accountPlace
	case s.Chat.Kind == persona.Private:
		place, rules = privatePlace, PrivateRules
	}
	rules = cmp.Or(s.Prompts.Rules, rules)
	template := cmp.Or(s.Prompts.System, DefaultSystem)
	switch {
	case s.Part == Judge:
		template = cmp.Or(s.Prompts.JudgeSystem, DefaultJudging)
	case s.Part.aside():
		template = cmp.Or(s.Prompts.BackgroundCall, DefaultAside)
	case s.Part.Background():
		template = cmp.Or(s.Prompts.BackgroundTurn, DefaultBackground)
	case s.Part != Whole && s.Part != Greet && s.Part != Remind && s.Part != Perform:
		template = cmp.Or(s.Prompts.Focus, DefaultFocus)
	}
	aliases := ""
	if len(p.Aliases) > 0 {
		aliases = "（也叫" + strings.Join(p.Aliases, "、") + "）"
	}
	text := strings.NewReplacer("{name}", p.Name, "{aliases}", aliases, "{about}", p.About, "{place}", place, "{rules}", rules).Replace(template)
	return strings.TrimSpace(text) + "\n\n" + read + "\n\n" + Honesty
}
