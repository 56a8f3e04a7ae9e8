package persona

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
	// BackgroundCall is the template of the system prompt of what is made in the background, with the places of System but {rules};
	// "" means [DefaultAside]. SumUp, Dream and Regard say what to make; "" means [DefaultSumUp], [DefaultDream] and
	// [DefaultRegard].
	BackgroundCall, Summarize, Dream, UpdatePeople string
	// JudgeSystem is the template of the system prompt where a request is judged, with the places of Aside, and Judge says what
	// to judge; "" means [DefaultJudging] and [DefaultJudge]. Greet says how to greet a new friend, after System; "" means
	// [DefaultGreet].
	JudgeSystem, JudgeRequest, Greet string
	// Remind and Perform say what to do when a timer fires and when a task is to be done, after System; "" means
	// [DefaultRemind] and [DefaultPerform].
	Remind, PerformTask string
	// BackgroundTurn is the template of the system prompt of talks of the background, with the places of Aside; "" means
	// [DefaultBackground]. Missed, Review and PlanAhead say what to do there; "" means [DefaultMissed], [DefaultReview] and
	// [DefaultPlanAhead]. In these {documents} stands for how to
	// mend the scene's Papers and to condense its Past, and for nothing where that is not to be done.
	BackgroundTurn, MissedTask, ReviewConversation, PlanAhead string
	// Reflect, Look, Heard and Muse say what to make, after Aside; "" means [DefaultReflect], [DefaultLook], [DefaultHeard]
	// and [DefaultMuse].
	Reflect, TaskOutcome, Hearsay, GlobalReflection string
}
