package persona

import "strings"

// A Profile is who the being is. It comes from the user's code, so its texts are trusted.
type Profile struct {
	Name    string   // how it is called
	Aliases []string // other names that it answers to
	About   string   // who it is, in the words of a prompt: "爱看番的大学生，说话随和……"
}

// Prompts are texts of the user's own in place of the given ones. How to read what people wrote, and [Honesty], stand
// whatever they say.
type Prompts struct {
	// System is the template of the system prompt; "" means [DefaultSystem]. {name}, {aliases}, {about}, {place} and
	// {rules} stand for the profile's texts, for where the being is, and for the rules.
	System string
	// Rules says when to speak and when to keep silent; "" means [GroupRules], [PrivateRules] or [AgentRules].
	Rules string
	// Focus is the template of the system prompt of the parts of a turn, with the same places; "" means [DefaultFocus].
	Focus string
	// Think, Plan and Write say what to do in each part; "" means [DefaultThink], [DefaultPlan], in which {actions}
	// stands for those that may be chosen, [DefaultWrite], and [DefaultConsider].
	Think, Plan, Write, Consider string
}

// System renders the system prompt: who the being is, where, when it speaks, how to read what people wrote, and
// [Honesty] at its end. It depends on nothing but the profile and the scene's Mode, kind of chat, Prompts, and whether it
// is a part, so that it is the same from turn to turn and providers can cache it.
func (p Profile) System(s Scene) string {
	place, rules, read := groupPlace, GroupRules, reading
	switch {
	case s.Mode == Agent:
		place, rules, read = agentPlace, AgentRules, agentReading
	case s.Chat.Kind == Private:
		place, rules = privatePlace, PrivateRules
	}
	rules = either(s.Prompts.Rules, rules)
	template := either(s.Prompts.System, DefaultSystem)
	if s.Part != Whole {
		template = either(s.Prompts.Focus, DefaultFocus)
	}
	aliases := ""
	if len(p.Aliases) > 0 {
		aliases = "（也叫" + strings.Join(p.Aliases, "、") + "）"
	}
	text := strings.NewReplacer("{name}", p.Name, "{aliases}", aliases, "{about}", p.About, "{place}", place, "{rules}", rules).Replace(template)
	return strings.TrimSpace(text) + "\n\n" + read + "\n\n" + Honesty
}
