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
	case s.Kind == JudgeRequest || s.Chat == persona.Chat{}:
		place = accountPlace
	case s.Chat.Kind == persona.Private:
		place, rules = privatePlace, PrivateRules
	}
	rules = cmp.Or(s.Prompts.Rules, rules)
	template := cmp.Or(s.Prompts.System, DefaultSystem)
	switch {
	case s.Kind == JudgeRequest:
		template = cmp.Or(s.Prompts.JudgeSystem, DefaultJudgeSystem)
	case s.Kind.aside():
		template = cmp.Or(s.Prompts.BackgroundCall, DefaultBackgroundCall)
	case s.Kind.IsBackgroundTurn():
		template = cmp.Or(s.Prompts.BackgroundTurn, DefaultBackgroundTurn)
	case s.Kind != SingleCall && s.Kind != Greet && s.Kind != Remind && s.Kind != PerformTask:
		template = cmp.Or(s.Prompts.Focus, DefaultFocus)
	}
	aliases := ""
	if len(p.Aliases) > 0 {
		aliases = "（也叫" + strings.Join(p.Aliases, "、") + "）"
	}
	text := strings.NewReplacer("{name}", p.Name, "{aliases}", aliases, "{about}", p.About, "{place}", place, "{rules}", rules).Replace(template)
	return strings.TrimSpace(text) + "\n\n" + read + "\n\n" + Honesty
}
