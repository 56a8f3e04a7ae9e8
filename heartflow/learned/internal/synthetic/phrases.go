package synthetic

// Phrases are the messages of a group, by purpose.
type Phrases struct {
	Questions, Replies, BackQuestions, Confirmations, FollowUps, Thanks, Statements, Laughs, Chats []string
}

// Tuned are phrases for training. The Chinese cues of package lookback may be changed by results with them.
var Tuned = Phrases{
	Questions:     []string{"有人知道显卡驱动怎么装吗", "请问食堂几点关门", "谁有高数的笔记", "为什么我连不上校园网", "求推荐一个耳机", "明天要不要带伞啊"},
	Replies:       []string{"去官网下一个", "九点半", "我有，晚上发你", "重启一下路由器", "看预算，三百以内都差不多", "带吧，预报说有雨"},
	BackQuestions: []string{"你是什么系统？", "你在哪个校区", "你连的是几号楼的", "预算多少呢"},
	Confirmations: []string{"对", "是的", "嗯嗯", "不是，是笔记本", "win11", "三百左右"},
	FollowUps:     []string{"那装完要重启吗", "然后呢", "那你用的是哪个版本", "可是还是不行", "我试了，报错了", "这样就可以了？"},
	Thanks:        []string{"谢谢", "好的谢谢", "多谢大佬", "明白了"},
	Statements:    []string{"我刚从图书馆回来", "今天的作业好多", "楼下的猫又胖了", "周末打算去爬山", "食堂的面涨价了"},
	Laughs:        []string{"哈哈哈哈", "笑死", "草", "[表情]"},
	Chats:         []string{"真的假的", "我也是", "你怎么去的", "下次叫上我", "太贵了吧", "它叫什么来着", "你不是昨天才去过吗"},
}

// Unseen are phrases for measuring only. Nothing may be trained on them or changed by results with them.
var Unseen = Phrases{
	Questions:     []string{"打印机卡纸了咋办", "这周的例会改到哪天了呀", "有没有人一起拼车去机场", "哪位借我一根数据线", "快递站周日开不开", "想问下怎么改选课"},
	Replies:       []string{"先把后盖打开抽出来", "改到周四下午了", "我可以，周五早上走", "来三楼拿", "开的，到六点", "教务系统里点退课再选"},
	BackQuestions: []string{"你那台是啥型号", "你几点的飞机呀", "要 type-c 的吗", "你大几的"},
	Confirmations: []string{"没错", "嗯", "是啊", "不对，是下周的", "惠普的", "大二"},
	FollowUps:     []string{"后盖打不开诶", "那我得提前说一声么", "之后还要做什么", "你也在那层吗", "我点了没反应", "所以周六不行咯"},
	Thanks:        []string{"谢啦", "感谢感谢", "好嘞", "懂了，太感谢了"},
	Statements:    []string{"刚跑完五公里", "宿舍又停水了", "我妈寄了一箱橙子", "昨天看了场电影", "新来的学弟好高"},
	Laughs:        []string{"hhhh", "笑不活了", "好家伙", "[图片]"},
	Chats:         []string{"哪部啊", "同停水", "给我留两个", "你这么能跑", "我上次也碰到了", "好不好看", "羡慕了"},
}
