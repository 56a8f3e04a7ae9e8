// Package preset fills the options of package social for two kinds of bots: a member of group chats ([Group]) and a
// companion of one owner ([Companion]). Each turns on everything that this kind of bot has.
//
//	o, err := preset.Group(ctx, social.Options{
//		Profile: persona.Profile{Name: "小炉", About: "爱看番的大学生，说话简短。"},
//		Model:   model,
//		Link:    link,
//		Storage: social.Storage{Store: store},
//	})
//	if err != nil {
//		return err
//	}
//	bot, err := social.New(o)
//
// A field that is set stays. What the preset sets can be changed before social.New: o.Reply.Speech = nil sends each
// reply at once.
package preset
