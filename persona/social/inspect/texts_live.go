package inspect

// liveTexts are the texts of decisions and states. The keys are those of heartflow.
var liveTexts = map[string][2]string{
	"decided:judge silent": {"判断：不说", "judged: stays silent"},
	"decided:judge ask":    {"判断：问模型", "judged: asks the model"},
	"decided:judge speak":  {"判断：要说", "judged: speaks"},
	"decided:speak silent": {"没让说", "was not allowed to speak"},
	"decided:speak speak":  {"说了", "spoke"},
	"decided:skip":         {"没说", "did not speak"},
	"decided:state":        {"状态", "state"},
	"decided:plan":         {"计划", "plan"},
	"decided:feedback":     {"反响", "how it was taken"},
	"decided:model":        {"模型", "model"},
	"state:observing":      {"旁听", "observing"},
	"state:summoned":       {"被叫到", "summoned"},
	"state:active":         {"在聊", "active"},
	"state:offline":        {"睡了", "asleep"},
	"state:absent":         {"没参与", "absent"},
	"state:chat":           {"在聊", "in the talk"},
	"state:focused":        {"专心聊", "focused"},
}

// State returns the name of a state.
func (p *page) State(name string) string {
	if _, ok := liveTexts["state:"+name]; ok {
		return p.T("state:" + name)
	}
	return name
}
