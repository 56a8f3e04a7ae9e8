package prompt

import (
	"cmp"
	"strings"

	"github.com/hearth-bot/hearth/persona"
)

// System renders the system prompt: the bot's identity and place, the rules for talking, the guide to untrusted text,
// and [Honesty] at the end. It depends only on the profile and on the scene's Mode, Kind, kind of chat and Prompts. It
// is the same in every turn, so that providers can cache it.
func System(p persona.Profile, s Scene) string {
	place, rules, read := groupPlace, GroupRules, guide
	switch {
	case s.Mode == persona.Agent:
		place, rules, read = agentPlace, AgentRules, agentGuide
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
	case s.Kind.isBackgroundCall():
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
	about := p.About
	if len(p.Interests) > 0 {
		about = strings.TrimSpace(about + "\n你感兴趣的：" + strings.Join(p.Interests, "、") + "。")
	}
	text := strings.NewReplacer("{name}", p.Name, "{aliases}", aliases, "{about}", about, "{place}", place, "{rules}", rules).Replace(template)
	return strings.TrimSpace(text) + "\n\n" + read + "\n\n" + Honesty
}
