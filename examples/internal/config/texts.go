package config

import "regexp"

// plain matches texts that YAML reads as themselves without quotes.
var plain = regexp.MustCompile(`^[\p{Han}A-Za-z_/.][\p{Han}\w/.@，。、-]*$`)

// A flagText is the Chinese text of a flag.
type flagText struct{ key, chinese string }

// sections are the flags of all programs in the order of the file.
var sections = []struct {
	title string
	texts []flagText
}{
	{"连接 QQ · QQ", []flagText{
		{"onebot", "OneBot v11 实现的地址（正向 WS），例如 ws://127.0.0.1:3001"},
		{"listen", "等 OneBot v11 实现连上来的地址（反向 WS），例如 127.0.0.1:8080；和 onebot 二选一"},
		{"token", "OneBot 连接的 access token；放在环境变量 ONEBOT_TOKEN 里更好"},
		{"qqbot", "QQ 官方机器人（q.qq.com）的 AppID，可以和 onebot 或 listen 一起用；AppSecret 放在环境变量 QQBOT_SECRET 里"},
		{"qqbot-secret-file", "存放 AppSecret 的文件；空：用环境变量 QQBOT_SECRET"},
		{"qqbot-webhook", "用 webhook 收官方机器人的事件，监听的地址，例如 127.0.0.1:8443，前面要有带 TLS 的代理；空：用网关，不用地址"},
		{"qqbot-url", "官方 API 的地址；空：正式的。沙箱是 https://sandbox.api.sgroup.qq.com"},
	}},
	{"模型 · Model", []flagText{
		{"model", "offline：离线规则，不是语言模型；openai：任何兼容的服务；ollama"},
		{"model-name", "模型的名字"},
		{"embed-name", "同一个服务上的嵌入模型的名字，用来按意思找回忆；空：只按词找"},
		{"base-url", "模型服务的地址；空：openai 的，或者本机 ollama 的"},
		{"key-file", "存放模型服务密钥的文件；空：用环境变量 OPENAI_API_KEY"},
		{"context", "一个请求里的上下文最多多少 token；0：28000，ollama 是 12000，窗口 16384 够用"},
		{"model-for", "用途=模型：某种用途用同一个服务上的另一个模型，可以写多个。judge=名字 判断，plan= 计划，reply= 写回复，background= 后台，see= 看图，hear= 听语音（QQ 没转成文字的），speak= 发语音，default= 其余的；名字,名字 是前一个不行用后一个"},
		{"voice", "speak 那个模型用的嗓音，照它的服务写；空：服务默认的，有的服务没有默认的"},
		{"voice-chance", "别人打字时，它用语音回的机会，0 到 1；别人发语音，它都用语音回"},
		{"text-calls", "模型自己不会调用工具：在提示词里告诉它有哪些，它把调用写成文字"},
	}},
	{"是谁 · Who it is", []flagText{
		{"name", "机器人的名字，叫这个名字就是在叫它"},
		{"alias", "别的名字，用逗号隔开"},
		{"about", "它是谁：一句话或者一页字"},
		{"persona", "人设目录：persona.json、about.md、prompts/…，companion 还有 documents/character_state.md；空：用 db 里存的，没有就用默认的"},
		{"interests", "它喜欢聊的话题，用逗号隔开：猫,手冲咖啡"},
	}},
	{"主人和权限 · Owner and rights", []flagText{
		{"owner", "主人的 QQ 号，用逗号隔开；官方机器人写 qqbot:OPENID"},
		{"admin", "主人信得过、可以下一部分命令的人的 QQ 号，用逗号隔开；官方机器人写 qqbot:OPENID"},
		{"same", "同一个人的几个号，例如 10001=qqbot:OPENID，用逗号隔开：一个号有的权限另一个也有，忘记我也一起忘；没写的都算不同的人"},
		{"commands", "主人和管理员可以在聊天里下命令：安静 10分钟、说话、睡觉、起床、状态、忘记我、重置反馈；帮助 会列出来"},
		{"requests", "好友申请和入群邀请：judge 自己判断，ask 交给主人，off 不管"},
		{"owner-names", "主人的名字和称呼，用逗号隔开：有人找他们就告诉主人"},
		{"watch", "特别关注的人的 QQ 号，用逗号隔开：他们开口就告诉主人"},
		{"enable-social-mode", "加载 QQ 的工具；关掉之后照样回消息"},
		{"hide", "正则表达式：窗口、网页、文件里匹配的内容绝不告诉模型；隐私窗口本来就不告诉"},
	}},
	{"记忆 · Memory", []flagText{
		{"db", "记忆用的 SQLite 文件，或者 PostgreSQL 的地址 postgres://用户@主机/数据库?being=名字（密码放 PGPASSWORD 或 ~/.pgpass）；空：退出就忘"},
		{"layers", "要不要在后台调用模型做摘要、了解人、做梦：on、off，或者 auto"},
		{"quota", "每个聊天最多留多少条记录；0：全留"},
	}},
	{"什么时候说、怎么说 · When and how it speaks", []flagText{
		{"attention", "什么时候说话：hfc 心流：感兴趣就加入；mention 被叫到才说；interject 也接着聊；learned 像真人聊天那样"},
		{"strategy", "怎么想出话来：one 一次模型调用；three 先想、再计划、再写；auto 心流用 three，其余用 one"},
		{"typing", "要不要像人打字那样分几句发：on、off、auto（连着真的 QQ 就开）"},
		{"quote", "要不要引用它在回的那条消息：auto 隔得远、或者几个人都在等的时候引用；always 总是；never 从不"},
		{"reactions-call", "给它的消息贴表情，也像戳它一样算叫它：一个人 10 分钟算一次"},
		{"stickers", "表情图片的目录，文件名说明心情：高兴_笑死.png；需要 typing"},
		{"bots", "群里别的机器人的 QQ 号，用逗号隔开：最多连着回它们两次"},
		{"budget", "模型一小时、一天最多用多少 token：500k/5M，或者只写 500k 限一小时；0：默认的 12M/96M；off：不限"},
		{"price", "模型=提示词/缓存/回答：一百万 token 的单价，用哪种钱自己定，例如 NAME=2/0.2/3；只写两个数，缓存的和提示词一个价；可以写多个。写了，-http 的网页和日志最后一行就有费用"},
		{"max-replies", "叫它、@ 它、私聊它，5 分钟里一个聊天最多回几条；0：私聊 30，群里 20"},
		{"max-replies-per-person", "群里对同一个人，一分钟里最多回几次；0：3"},
		{"max-interjections", "没人叫它，5 分钟里一个聊天最多说几条；0：6"},
		{"images", "它用工具可以发的图片的目录；空：没有"},
		{"mcp", "名字=服务器：加上一个 MCP 服务器的工具，写命令行或者 http 地址，可以写多个。名字:L1= 给所有人，名字:L2= 脱敏后给所有人，不写就只给 App 里的主人"},
	}},
	{"主人的电脑和网页 · Computer and page of the owner", []flagText{
		{"activity", "ActivityWatch 的地址，例如 http://127.0.0.1:5600：它看得到主人在做什么；空：看不到"},
		{"http", "网页的地址，例如 127.0.0.1:8081：看它这一天、在网页里和它说话，看它读了什么、怎么决定、说了什么、为什么；端口 0：任意空闲的，有 db 就一直用那一个；空或者 off：不开"},
		{"http-token", "访问网页的令牌，至少 16 个字符；放在环境变量里更好（GROUPBOT_TOKEN，companion 是 COMPANION_TOKEN）；空：生成一个，打印出来，有 db 就存在它旁边的 .http 文件里，下次还用"},
		{"http-read-token", "给只能看的人的令牌，看不到私聊、提示词和记忆；空：没有"},
	}},
	{"运行 · Running", []flagText{
		{"record", "把收到的每个 OneBot 事件和机器人发出的每条消息追加到这个文件，examples/replay 可以重放；里面有别人说的话"},
		{"learn", "从录下来的文件（-record 的）或者放它们的目录里，学大家在群里怎么接话，说出学得好不好，更好就存在 db 旁边，然后结束"},
		{"weights", "attention 是 learned 时用哪种权重：own 是 -learn 学到的（在 db 旁边，没有就用自带的），shipped 是自带的"},
		{"speed", "等待时间除以这个数，演示才用得上；0：演示里加快，真的连接上是 1"},
		{"think", "离线模型每次回答用多久，装作真的模型"},
		{"for", "运行这么久就结束，例如 30s；0：直到 Ctrl-C"},
		{"trace", "打印每个决定的每一道关"},
		{"seed", "随机数的种子，同样的种子抽到同样的结果；0：随机"},
		{"lang", "给人看的文字用哪种语言：zh 中文，en 英文；空：看 LC_ALL、LC_MESSAGES、LANG"},
		{"config", "YAML 配置文件：键和这些参数同名，还有别的服务的模型、各个聊天的设置；它改了会重新读；命令行上写了的优先；-init 写一个"},
		{"init", "写一个这样的配置文件，带注释，然后结束；已经给出的参数写在里面"},
		{"check", "只检查：说出启动会做什么，什么也不改，然后结束"},
	}},
}

// modelTexts are examples of models by purpose.
var modelTexts = []struct{ key, example, chinese, english string }{
	{"judge", "judge: cheap-model", "要不要看一个聊天、要不要同意申请、要不要告诉主人：问得多，便宜的就行", "whether to read a chat, accept a request, tell the owner: many calls, a cheap model will do"},
	{"plan", "plan: good-model", "回复之前的想法和计划；和 reply 不在一个服务，同样的上下文要付两次钱", "thoughts and plans before a reply; at another service than reply the same context is paid twice"},
	{"reply", "reply: [good-model, second-model]", "写给聊天和主人的话；这里 good-model 不行就用 second-model", "texts for chats and the owner; here second-model answers when good-model fails"},
	{"background", "background: cheap-model", "摘要、了解人、做梦、反思：不发出去", "summaries, people, dreams and reflections, which are not sent"},
	{"see", "see: vision-model", "看图：把图片写成一两句话，给别的模型看；不写就不看图", "pictures: put into words for the other models; without it no picture is seen"},
	{"hear", "hear: whisper-model", "听语音：QQ 自己没转成文字的，转成文字；不写就只看 QQ 转的", "voice messages that QQ does not transcribe; without it they stay [语音]"},
	{"speak", "speak: {model-name: speech-model, voice: alloy}", "出声：用语音回语音；不写就只打字", "its own voice messages, which answer voice messages; without it it only writes"},
	{"default", "default:\n  - model-name: good-model\n  - model-name: other-model\n    base-url: https://api.example.com/v1\n    key-file: other-key.txt", "其余所有的；这里第二个是另一家的", "everything else; the second one here is of another provider"},
}

// Chinese returns the Chinese text of a flag, or "".
func Chinese(name string) string {
	for _, s := range sections {
		for _, t := range s.texts {
			if t.key == name {
				return t.chinese
			}
		}
	}
	return ""
}

// chatTexts are the texts of the settings of chats.
var chatTexts = []struct{ key, example, chinese, english string }{
	{"off", "off: true", "不理这个聊天：消息不看也不存", "ignore the chat: messages are dropped, and nothing is sent"},
	{"names", "names: [小炉, 炉子]", "在这里叫什么名字，代替 name 和 alias", "names here, instead of name and alias"},
	{"wake_words", "wake_words: [开炉]", "说到这些词就是在叫它", "words that address it as a name does"},
	{"keywords", "keywords: [爬山, 围棋]", "它感兴趣的话题，说到了它会接话", "topics of interest, which it answers"},
	{"policy", "policy: interject", "没人叫它时的策略：mention、interject，或者程序自带的其他策略", "when nobody addresses it: mention, interject, or another policy of the program"},
	{"speak_less", "speak_less: true", "心流：少说话，只有平时的三分之一", "hfc: it speaks a third as often"},
	{"no_focus", "no_focus: true", "心流：从不专注于这个聊天", "hfc: the chat never gets its full attention"},
	{"begins", "begins: false", "可不可以自己起话头：这里安静得比平时久，或者问了没人回", "whether it may begin a talk: in a long silence, or after a question without an answer"},
	{"public", "public: true", "公开的聊天：别的聊天也看得到这里说的话", "everybody may read it: other chats see its messages"},
	{"banned_words", "banned_words: [彩票]", "有这些词的消息只存着，不回答，也不给模型看", "messages with these words are stored, not answered, and not shown to the model"},
	{"banned_patterns", `banned_patterns: ['加群\d+']`, "同上，用正则表达式", "the same, by regular expressions"},
	{"quiet_hours", "quiet_hours: [23:00-07:30]", "每天的免打扰时段，不主动说话", "times of day without unprompted messages"},
	{"max_replies", "max_replies: 20", "叫它、@ 它、私聊它，window_minutes 分钟里最多回几条", "replies to people who address it, within window_minutes"},
	{"max_replies_per_person", "max_replies_per_person: 3", "群里对同一个人，window_minutes 的五分之一里最多回几次", "replies to one person within a fifth of window_minutes, in a group"},
	{"max_interjections", "max_interjections: 6", "没人叫它，window_minutes 分钟里最多说几条", "other messages within window_minutes"},
	{"window_minutes", "window_minutes: 5", "以上几项的分钟数", "the minutes of these limits"},
	{"max_consecutive", "max_consecutive: 3", "没有别人说话时最多连着说几条", "messages without one by somebody else"},
	{"hour_tokens", "hour_tokens: 50000", "这个聊天每小时最多用多少 token", "tokens of the model in an hour"},
	{"day_tokens", "day_tokens: 500000", "这个聊天每天最多用多少 token", "tokens of the model in a day"},
}
