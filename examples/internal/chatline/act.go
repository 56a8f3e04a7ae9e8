package chatline

import (
	"cmp"

	"github.com/hearth-bot/hearth/examples/internal/lang"
	"github.com/hearth-bot/hearth/persona"
)

// act returns the line of an act.
func (w *Writer) act(e persona.Event) (line Line, ok bool) {
	does := func(chat persona.Chat, id, name string, what lang.Text) (Line, bool) {
		return Line{Chat: chat, Who: w.name(chat, id, name), Text: w.lang.Text(what), Act: true}, true
	}
	switch e := e.(type) {
	case persona.Poked:
		to := w.name(e.Chat, e.To, e.ToName)
		if e.ToMe {
			to = w.bot
		}
		return does(e.Chat, e.From, e.Name, lang.T("戳了戳 %s", "poked %s", to))
	case persona.Reacted:
		return does(e.Chat, e.From, e.Name, w.reaction(e))
	case persona.MemberJoined:
		return does(e.Chat, e.ID, e.Name, lang.T("加入了群", "joined the group"))
	case persona.MemberLeft:
		if e.By != "" {
			return does(e.Chat, e.ID, e.Name, lang.T("被移出了群", "was removed from the group"))
		}
		return does(e.Chat, e.ID, e.Name, lang.T("退出了群", "left the group"))
	case persona.MemberChanged:
		return does(e.Chat, e.ID, e.Name, changed(e))
	case persona.Retracted:
		if line, known := w.find(e.Chat, e.MessageID); known {
			if e.By == line.from {
				return does(e.Chat, e.By, line.Who, lang.T("撤回了一条消息", "retracted a message"))
			}
			return does(e.Chat, "", line.Who, lang.T("的一条消息被撤回了", "lost a message: somebody retracted it"))
		}
	}
	return line, false
}

func (w *Writer) reaction(e persona.Reacted) lang.Text {
	face := cmp.Or(e.Face.Name, e.Face.ID)
	quote, ok := w.Quote(e.Chat, e.MessageID)
	switch {
	case e.Removed:
		return lang.T("收回了表情回应 %s", "took back the reaction %s", face)
	case ok:
		return lang.T("给「%s」回应了 %s", "reacted to “%s” with %s", quote, face)
	}
	return lang.T("给一条消息回应了 %s", "reacted to a message with %s", face)
}

func changed(e persona.MemberChanged) lang.Text {
	switch {
	case e.Kind == persona.AdminChanged && e.Value == "set":
		return lang.T("成了群管理员", "became an admin of the group")
	case e.Kind == persona.AdminChanged:
		return lang.T("不再是群管理员", "is no admin of the group any more")
	case e.Kind == persona.TitleChanged && e.Value == "":
		return lang.T("的头衔被取消了", "lost the title")
	case e.Kind == persona.TitleChanged:
		return lang.T("得到了头衔「%s」", "got the title “%s”", e.Value)
	case e.Value == "":
		return lang.T("去掉了群名片", "removed the name in the group")
	}
	return lang.T("把群名片改成了「%s」", "changed the name in the group to “%s”", e.Value)
}
