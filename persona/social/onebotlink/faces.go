package onebotlink

import (
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/hearth-bot/hearth/persona"
)

// reactionFaces are the names of faces that the bot may react with. All of them are in qqFaces, and QQ accepts them as reactions.
var reactionFaces = []string{
	"赞", "爱心", "鼓掌", "笑哭", "捂脸", "吃瓜", "流泪", "可怜", "疑问", "惊讶", "抱拳", "拥抱", "OK", "玫瑰", "晕", "流汗", "敬礼", "崇拜", "比心", "庆祝",
}

// faces returns the faces for reactions.
func faces() (all []persona.Face) {
	for _, name := range reactionFaces {
		i := slices.IndexFunc(qqFaces, func(f persona.Face) bool { return f.Name == name })
		all = append(all, qqFaces[i])
	}
	return all
}

// faceByID returns a face of QQ. The id of a reaction may also be the code point of an emoji.
func faceByID(id string) persona.Face {
	if i := slices.IndexFunc(qqFaces, func(f persona.Face) bool { return f.ID == id }); i >= 0 {
		return qqFaces[i]
	}
	if n, err := strconv.Atoi(id); err == nil && n > 1000 && utf8.ValidRune(rune(n)) && n <= utf8.MaxRune {
		return persona.Face{ID: id, Name: string(rune(n))}
	}
	return persona.Face{ID: id}
}

// qqFaces are the common faces of QQ.
var qqFaces = []persona.Face{
	{ID: "0", Name: "惊讶"}, {ID: "1", Name: "撇嘴"}, {ID: "2", Name: "色"}, {ID: "3", Name: "发呆"}, {ID: "4", Name: "得意"}, {ID: "5", Name: "流泪"},
	{ID: "6", Name: "害羞"}, {ID: "7", Name: "闭嘴"}, {ID: "8", Name: "睡"}, {ID: "9", Name: "大哭"}, {ID: "10", Name: "尴尬"}, {ID: "11", Name: "发怒"},
	{ID: "12", Name: "调皮"}, {ID: "13", Name: "呲牙"}, {ID: "14", Name: "微笑"}, {ID: "15", Name: "难过"}, {ID: "16", Name: "酷"}, {ID: "18", Name: "抓狂"},
	{ID: "19", Name: "吐"}, {ID: "20", Name: "偷笑"}, {ID: "21", Name: "可爱"}, {ID: "22", Name: "白眼"}, {ID: "23", Name: "傲慢"}, {ID: "24", Name: "饥饿"},
	{ID: "25", Name: "困"}, {ID: "26", Name: "惊恐"}, {ID: "27", Name: "流汗"}, {ID: "28", Name: "憨笑"}, {ID: "29", Name: "悠闲"}, {ID: "30", Name: "奋斗"},
	{ID: "31", Name: "咒骂"}, {ID: "32", Name: "疑问"}, {ID: "33", Name: "嘘"}, {ID: "34", Name: "晕"}, {ID: "35", Name: "折磨"}, {ID: "36", Name: "衰"},
	{ID: "37", Name: "骷髅"}, {ID: "38", Name: "敲打"}, {ID: "39", Name: "再见"}, {ID: "41", Name: "发抖"}, {ID: "42", Name: "爱情"}, {ID: "43", Name: "跳跳"},
	{ID: "46", Name: "猪头"}, {ID: "49", Name: "拥抱"}, {ID: "53", Name: "蛋糕"}, {ID: "54", Name: "闪电"}, {ID: "55", Name: "炸弹"}, {ID: "56", Name: "刀"},
	{ID: "57", Name: "足球"}, {ID: "59", Name: "便便"}, {ID: "60", Name: "咖啡"}, {ID: "61", Name: "饭"}, {ID: "63", Name: "玫瑰"}, {ID: "64", Name: "凋谢"},
	{ID: "66", Name: "爱心"}, {ID: "67", Name: "心碎"}, {ID: "69", Name: "礼物"}, {ID: "74", Name: "太阳"}, {ID: "75", Name: "月亮"}, {ID: "76", Name: "赞"},
	{ID: "77", Name: "踩"}, {ID: "78", Name: "握手"}, {ID: "79", Name: "胜利"}, {ID: "85", Name: "飞吻"}, {ID: "86", Name: "怄火"}, {ID: "89", Name: "西瓜"},
	{ID: "96", Name: "冷汗"}, {ID: "97", Name: "擦汗"}, {ID: "98", Name: "抠鼻"}, {ID: "99", Name: "鼓掌"}, {ID: "100", Name: "糗大了"}, {ID: "101", Name: "坏笑"},
	{ID: "102", Name: "左哼哼"}, {ID: "103", Name: "右哼哼"}, {ID: "104", Name: "哈欠"}, {ID: "105", Name: "鄙视"}, {ID: "106", Name: "委屈"}, {ID: "107", Name: "快哭了"},
	{ID: "108", Name: "阴险"}, {ID: "109", Name: "亲亲"}, {ID: "110", Name: "吓"}, {ID: "111", Name: "可怜"}, {ID: "112", Name: "菜刀"}, {ID: "113", Name: "啤酒"},
	{ID: "114", Name: "篮球"}, {ID: "115", Name: "乒乓"}, {ID: "116", Name: "示爱"}, {ID: "117", Name: "瓢虫"}, {ID: "118", Name: "抱拳"}, {ID: "119", Name: "勾引"},
	{ID: "120", Name: "拳头"}, {ID: "121", Name: "差劲"}, {ID: "122", Name: "爱你"}, {ID: "123", Name: "NO"}, {ID: "124", Name: "OK"}, {ID: "125", Name: "转圈"},
	{ID: "144", Name: "喝彩"}, {ID: "146", Name: "爆筋"}, {ID: "147", Name: "棒棒糖"}, {ID: "171", Name: "茶"}, {ID: "172", Name: "眨眼睛"}, {ID: "173", Name: "泪奔"},
	{ID: "174", Name: "无奈"}, {ID: "175", Name: "卖萌"}, {ID: "176", Name: "小纠结"}, {ID: "177", Name: "喷血"}, {ID: "178", Name: "斜眼笑"}, {ID: "179", Name: "doge"},
	{ID: "180", Name: "惊喜"}, {ID: "181", Name: "骚扰"}, {ID: "182", Name: "笑哭"}, {ID: "183", Name: "我最美"}, {ID: "201", Name: "点赞"}, {ID: "212", Name: "托腮"},
	{ID: "264", Name: "捂脸"}, {ID: "265", Name: "辣眼睛"}, {ID: "266", Name: "哦哟"}, {ID: "267", Name: "头秃"}, {ID: "268", Name: "问号脸"}, {ID: "269", Name: "暗中观察"},
	{ID: "270", Name: "emm"}, {ID: "271", Name: "吃瓜"}, {ID: "272", Name: "呵呵哒"}, {ID: "273", Name: "我酸了"}, {ID: "277", Name: "汪汪"}, {ID: "281", Name: "无眼笑"},
	{ID: "282", Name: "敬礼"}, {ID: "284", Name: "面无表情"}, {ID: "285", Name: "摸鱼"}, {ID: "286", Name: "魔鬼笑"}, {ID: "287", Name: "哦"}, {ID: "289", Name: "睁眼"},
	{ID: "293", Name: "摸锦鲤"}, {ID: "297", Name: "拜谢"}, {ID: "298", Name: "元宝"}, {ID: "299", Name: "牛啊"}, {ID: "306", Name: "牛气冲天"}, {ID: "307", Name: "喵喵"},
	{ID: "311", Name: "打call"}, {ID: "312", Name: "变形"}, {ID: "314", Name: "仔细分析"}, {ID: "317", Name: "菜汪"}, {ID: "318", Name: "崇拜"}, {ID: "319", Name: "比心"},
	{ID: "320", Name: "庆祝"}, {ID: "322", Name: "拒绝"}, {ID: "324", Name: "吃糖"}, {ID: "326", Name: "生气"}, {ID: "332", Name: "举牌牌"}, {ID: "337", Name: "花朵脸"},
	{ID: "338", Name: "我想开了"}, {ID: "339", Name: "舔屏"}, {ID: "341", Name: "打招呼"}, {ID: "342", Name: "酸Q"}, {ID: "343", Name: "我方了"}, {ID: "344", Name: "大怨种"},
	{ID: "345", Name: "红包多多"}, {ID: "346", Name: "你真棒棒"}, {ID: "349", Name: "坚强"}, {ID: "350", Name: "贴贴"}, {ID: "351", Name: "敲敲"}, {ID: "352", Name: "咦"},
	{ID: "353", Name: "拜托"}, {ID: "354", Name: "尊嘟假嘟"}, {ID: "355", Name: "耶"}, {ID: "356", Name: "666"}, {ID: "357", Name: "裂开"},
}
