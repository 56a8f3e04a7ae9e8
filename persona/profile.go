package persona

// A Profile describes the bot. It comes from the developer, so its texts are trusted.
type Profile struct {
	Name    string   // the bot's name
	Aliases []string // other names for it
	About   string   // a description for the prompts: "爱看番的大学生，说话随和……"
	// Interests are what the bot likes to talk about, one word or phrase each: "猫", "手冲咖啡". Prompts name them. With Heart
	// Flow Chat, messages that share a word with one raise the bot's interest in a chat.
	Interests []string
}

// Prompts are custom prompt texts. An empty field means the default text from persona/prompt. The guide to untrusted
// text and prompt.Honesty are always added.
//
// Texts may contain placeholders in braces. {name}, {aliases} and {about} are texts of the [Profile]; {about} ends with
// the interests. {place} describes the chat. {rules} is the text of Rules.
type Prompts struct {
	// System is the template of the system prompt for a normal turn. Placeholders: {name}, {aliases}, {about}, {place},
	// {rules}. Default: prompt.DefaultSystem.
	System string
	// Rules say when the bot talks and when it stays silent. Default: prompt.GroupRules, prompt.PrivateRules or
	// prompt.AgentRules.
	Rules string
	// Focus is the template of the system prompt for a turn in several calls. Placeholders: as in System. Default:
	// prompt.DefaultFocus.
	Focus string
	// Think, Plan and Write are the instructions for the calls of such a turn. {actions} in Plan lists the allowed
	// actions. Consider asks whether to take part in a chat, and ConsiderFocus whether to give it the full attention.
	// Defaults: prompt.DefaultThink, DefaultPlan, DefaultWrite, DefaultConsider and DefaultConsiderFocus.
	Think, Plan, Write, Consider, ConsiderFocus string
	// BackgroundCall is the template of the system prompt for a background call. Placeholders: as in System, without
	// {rules}. Summarize, Dream, UpdatePeople and ExplainWords are instructions for such calls. Defaults:
	// prompt.DefaultBackgroundCall, DefaultSummarize, DefaultDream, DefaultUpdatePeople and DefaultExplainWords.
	BackgroundCall, Summarize, Dream, UpdatePeople, ExplainWords string
	// JudgeSystem is the template of the system prompt for a friend request or an invitation, with the placeholders of
	// BackgroundCall. JudgeRequest is the instruction for it. Greet is the instruction for the first message to a new
	// friend and follows System. Defaults: prompt.DefaultJudgeSystem, DefaultJudgeRequest and DefaultGreet.
	JudgeSystem, JudgeRequest, Greet string
	// Remind and PerformTask are the instructions for a timer that fires and a task that is due. They follow System.
	// Defaults: prompt.DefaultRemind and DefaultPerformTask.
	Remind, PerformTask string
	// BackgroundTurn is the template of the system prompt for a background turn, with the placeholders of
	// BackgroundCall. MissedTask, ReviewConversation and PlanAhead are the instructions for such turns. {documents} in
	// them explains how to edit the documents and to condense the past tasks, and is empty if the turn may not do this.
	// Defaults: prompt.DefaultBackgroundTurn, DefaultMissedTask, DefaultReviewConversation and DefaultPlanAhead.
	BackgroundTurn, MissedTask, ReviewConversation, PlanAhead string
	// Reflect, TaskOutcome, Hearsay and GlobalReflection are instructions that follow BackgroundCall. Defaults:
	// prompt.DefaultReflect, DefaultTaskOutcome, DefaultHearsay and DefaultGlobalReflection.
	Reflect, TaskOutcome, Hearsay, GlobalReflection string
}
