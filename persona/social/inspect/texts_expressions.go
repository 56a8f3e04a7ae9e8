package inspect

// expressionTexts are the texts of the page with what was learned of how groups talk.
var expressionTexts = map[string][2]string{
	"expressions":        {"群里的说法", "How groups talk"},
	"expressionsHelp":    {"机器人从各群的聊天里学到的黑话和口头禅，只在那个群里用。每天数一遍消息来学，新学到的再问一次模型是什么意思；很久没人用的会慢慢忘掉。", "Words and sayings that the bot learned from each group. It uses them only there. It learns once a day by counting, asks the model once what the new ones mean, and forgets what nobody uses for weeks."},
	"expressionsOff":     {"没有打开学习群里说法的功能。", "Learning how groups talk is off."},
	"expressionsNone":    {"这个群还没学到什么说法。", "Nothing was learned in this group yet."},
	"expressionsLearn":   {"现在学一遍", "Learn now"},
	"expression:word":    {"词", "word"},
	"expression:saying":  {"口头禅", "saying"},
	"expressionUse":      {"什么时候说", "Said"},
	"expressionUses":     {"次数 / 人数", "uses / people"},
	"expressionSure":     {"把握", "confidence"},
	"expressionMeaning":  {"意思", "meaning"},
	"expressionSave":     {"保存", "Save"},
	"expressionForbid":   {"不许用", "Forbid"},
	"expressionAllow":    {"可以用", "Allow"},
	"expressionForbade":  {"（已禁用）", "(forbidden)"},
	"expressionTopic":    {"（只是话题里的词，不用）", "(only a word of a topic, not used)"},
	"expressionName":     {"（只是名字，不用）", "(only a name, not used)"},
	"expressionExamples": {"例子", "examples"},
	"meaningTooLong":     {"意思最多 200 个字。", "A meaning has at most 200 characters."},
}
