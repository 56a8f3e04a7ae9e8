package onebottest

import (
	"cmp"
	"encoding/base64"
	"strconv"

	"github.com/hearth-bot/hearth/onebot"
)

// CardKind is the kind of a [Card].
type CardKind uint8

const (
	MiniProgramCard  CardKind = iota // a mini program (小程序): com.tencent.miniapp_01
	NewsCard                         // a shared page: com.tencent.tuwen.lua
	StructNewsCard                   // a shared page in the older form: com.tencent.structmsg
	MusicCard                        // a song: com.tencent.music.lua; Text is the singer
	MapCard                          // a location: com.tencent.map; Text is the address
	ContactCard                      // a recommended user: com.tencent.contact.lua; Title is the nickname, ID the account
	GroupCard                        // a recommended group: com.tencent.troopsharecard; Title is the name, ID the group
	AnnouncementCard                 // a group announcement: com.tencent.mannounce
)

// A Card is a card (卡片消息, ark): what QQ shows for a shared page, song, location or contact.
type Card struct {
	Kind     CardKind
	Title    string
	Text     string  // the description; "" is allowed
	URL      string  // of the page; "" means none
	Source   string  // name of the program or site, such as 哔哩哔哩; "" means none
	ID       int64   // of the user or group of a contact
	Lat, Lon float64 // of a MapCard, in degrees
}

// Message returns the card as a message with a json segment, to send in any chat:
//
//	g.Say(1, onebottest.Card{Kind: onebottest.NewsCard, Title: "炉边夜话", URL: "https://example.com"}.Message())
func (c Card) Message() onebot.Message {
	ark := object{"ver": "0.0.0.1", "desc": "", "config": object{"type": "normal", "forward": 1}}
	set := func(app, view, prompt, key string, meta object) {
		ark["app"], ark["view"], ark["prompt"], ark["meta"] = app, view, prompt, object{key: meta}
	}
	page := object{"title": c.Title, "desc": c.Text, "jumpUrl": c.URL, "tag": c.Source, "preview": ""}
	switch c.Kind {
	case MiniProgramCard:
		set("com.tencent.miniapp_01", "view_8C8E89B49BE609866298ADDFF2DBABA4", "[QQ小程序]"+cmp.Or(c.Source, c.Title), "detail_1", object{
			"title": c.Source, "desc": cmp.Or(c.Text, c.Title), "qqdocurl": c.URL, "url": c.URL, "appid": "1", "icon": "", "preview": "",
		})
	case NewsCard:
		set("com.tencent.tuwen.lua", "news", "[分享]"+c.Title, "news", page)
	case StructNewsCard:
		set("com.tencent.structmsg", "news", "[分享]"+c.Title, "news", page)
	case MusicCard:
		page["musicUrl"] = ""
		set("com.tencent.music.lua", "music", "[分享]"+c.Title, "music", page)
	case MapCard:
		set("com.tencent.map", "LocationShare", "[位置]"+c.Title, "Location.Search", object{
			"name": c.Title, "address": c.Text, "from": "plusPanel",
			"lat": strconv.FormatFloat(c.Lat, 'f', -1, 64), "lng": strconv.FormatFloat(c.Lon, 'f', -1, 64),
		})
	case ContactCard:
		set("com.tencent.contact.lua", "contact", "推荐联系人："+c.Title, "contact", object{
			"nickname": c.Title, "contact": "账号：" + strconv.FormatInt(c.ID, 10), "tag": "推荐联系人", "jumpUrl": c.URL, "avatar": "",
		})
	case GroupCard:
		set("com.tencent.troopsharecard", "contact", "推荐群聊："+c.Title, "contact", object{
			"nickname": c.Title, "contact": c.Text, "tag": "推荐群聊", "jumpUrl": cmp.Or(c.URL, "mqqapi://card/show_pslcard?uin="+strconv.FormatInt(c.ID, 10)),
		})
	case AnnouncementCard:
		in64 := base64.StdEncoding.EncodeToString
		set("com.tencent.mannounce", "main", "[群公告]"+cmp.Or(c.Text, c.Title), "mannounce", object{
			"title": in64([]byte(c.Title)), "text": in64([]byte(c.Text)), "encode": 1, "cr": 1, "tw": 0,
		})
	}
	return onebot.Message{{Type: "json", Data: encode(object{"data": string(encode(ark))})}}
}
